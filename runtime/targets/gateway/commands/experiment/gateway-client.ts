import { FormData } from 'undici';
import { AppError, inputError } from '../../../../contract/errors.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { readErrorBody } from '../../../../serve/client/error-body.ts';
import {
  type ClientRequest,
  createJsonClient,
  type StreamedResponse,
} from '../../../../serve/client/json-client.ts';
import { explainConnectionError } from './connection-error.ts';

type Json = Readonly<Record<string, unknown>>;

/** As browsers and `fetch` allow. */
const MAX_REDIRECTS = 20;

/** Client of a gateway's HTTP API. Throws the gateway's error messages. */
export interface GatewayClient {
  json(method: ClientRequest['method'], path: string, body?: object | FormData): Promise<Json>;
  text(path: string): Promise<string>;
  /** Streams a response that can be too long for memory. */
  pieces(path: string): AsyncIterable<string>;
  close(): Promise<void>;
}

export function createGatewayClient(url: string, key: string | undefined): GatewayClient {
  const client = createJsonClient(new URL(url).origin, {
    headers: key === undefined ? {} : { 'X-Gateway-Key': `Bearer ${key}` },
    maxRedirects: MAX_REDIRECTS,
  });
  const respond = async (
    method: ClientRequest['method'],
    path: string,
    body?: object | FormData,
  ): Promise<StreamedResponse> => {
    const content = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
    const response = await client.open({ method, path, body: content }).catch((error: unknown) => {
      throw new AppError('UpstreamError', `Cannot reach ${url}: ${explainConnectionError(error)}.`);
    });
    if (response.status < 300) return response;
    const error = readErrorBody(await response.body.text());
    throw inputError(error ? asSentence(error.message) : `${url} returned status ${response.status}.`);
  };
  const ask = async (...request: Parameters<typeof respond>): Promise<string> =>
    await (await respond(...request)).body.text();
  return {
    json: async (method, path, body) => parseJsonText(await ask(method, path, body)) as Json,
    text: (path) => ask('GET', path),
    async *pieces(path) {
      const { body } = await respond('GET', path);
      yield* body.setEncoding('utf8');
    },
    close: () => client.close(),
  };
}

const asSentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);
