import { AppError, inputError } from '../../../../contract/errors.ts';
import { isObject } from '../../../../core/json/is-object.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { whyUnreachable } from './why-unreachable.ts';

type Json = Readonly<Record<string, unknown>>;

/** Asks the API of a gateway. Throws its error in its words. */
export interface GatewayClient {
  json(method: string, path: string, body?: object | FormData): Promise<Json>;
  text(path: string): Promise<string>;
  /** A long text, as it comes. */
  pieces(path: string): AsyncIterable<string>;
}

export function createGatewayClient(url: string, key: string | undefined): GatewayClient {
  const respond = async (method: string, path: string, body?: object | FormData): Promise<Response> => {
    const isForm = body instanceof FormData;
    const headers = {
      ...(key === undefined ? {} : { 'X-Gateway-Key': `Bearer ${key}` }),
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    };
    const init = { method, headers, ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}) };
    const response = await fetch(new URL(path, url), init).catch((error: unknown) => {
      throw new AppError('UpstreamError', `${url} cannot be reached: ${whyUnreachable(error)}.`);
    });
    if (response.ok) return response;
    throw inputError(sentenceIn(await response.text()) ?? `${url} answered ${response.status}.`);
  };
  const ask = async (method: string, path: string, body?: object | FormData): Promise<string> =>
    await (await respond(method, path, body)).text();
  return {
    json: async (method, path, body) => parseJsonText(await ask(method, path, body)) as Json,
    text: (path) => ask('GET', path),
    async *pieces(path) {
      const { body } = await respond('GET', path);
      if (body) yield* body.pipeThrough(new TextDecoderStream());
    },
  };
}

function sentenceIn(text: string): string | undefined {
  try {
    const { error } = parseJsonText(text) as Json;
    return isObject(error) && typeof error['message'] === 'string' ? asSentence(error['message']) : undefined;
  } catch {
    return undefined;
  }
}

const asSentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);
