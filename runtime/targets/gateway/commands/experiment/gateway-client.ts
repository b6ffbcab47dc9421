import { AppError, inputError } from '../../../../contract/errors.ts';
import { isObject } from '../../../../core/json/is-object.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { explainConnectionError } from './connection-error.ts';

type Json = Readonly<Record<string, unknown>>;

/** Client of a gateway's HTTP API. Throws the gateway's error messages. */
export interface GatewayClient {
  json(method: string, path: string, body?: object | FormData): Promise<Json>;
  text(path: string): Promise<string>;
  /** Streams a response that can be too long for memory. */
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
      throw new AppError('UpstreamError', `Cannot reach ${url}: ${explainConnectionError(error)}.`);
    });
    if (response.ok) return response;
    throw inputError(errorMessageIn(await response.text()) ?? `${url} returned status ${response.status}.`);
  };
  const requestText = async (method: string, path: string, body?: object | FormData): Promise<string> =>
    await (await respond(method, path, body)).text();
  return {
    json: async (method, path, body) => parseJsonText(await requestText(method, path, body)) as Json,
    text: (path) => requestText('GET', path),
    async *pieces(path) {
      const { body } = await respond('GET', path);
      if (body) yield* body.pipeThrough(new TextDecoderStream());
    },
  };
}

function errorMessageIn(text: string): string | undefined {
  try {
    const { error } = parseJsonText(text) as Json;
    return isObject(error) && typeof error['message'] === 'string' ? asSentence(error['message']) : undefined;
  } catch {
    return undefined;
  }
}

const asSentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);
