import { AppError, inputError } from '../../../../contract/errors.ts';
import { isObject } from '../../../../core/is-object.ts';
import { parseJsonText } from '../../../../core/json-text.ts';
import { whyUnreachable } from './why-unreachable.ts';

type Json = Readonly<Record<string, unknown>>;

/** Asks the API of a gateway. Throws its error in its words. */
export interface GatewayClient {
  json(method: string, path: string, body?: object | FormData): Promise<Json>;
  text(path: string): Promise<string>;
}

export function createGatewayClient(url: string, key: string | undefined): GatewayClient {
  const ask = async (method: string, path: string, body?: object | FormData): Promise<string> => {
    const isForm = body instanceof FormData;
    const headers = {
      ...(key === undefined ? {} : { 'X-Gateway-Key': `Bearer ${key}` }),
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    };
    const init = { method, headers, ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}) };
    const response = await fetch(new URL(path, url), init).catch((error: unknown) => {
      throw new AppError('UpstreamError', `${url} cannot be reached: ${whyUnreachable(error)}.`);
    });
    const text = await response.text();
    if (!response.ok) throw inputError(sentenceIn(text) ?? `${url} answered ${response.status}.`);
    return text;
  };
  return {
    json: async (method, path, body) => parseJsonText(await ask(method, path, body)) as Json,
    text: (path) => ask('GET', path),
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
