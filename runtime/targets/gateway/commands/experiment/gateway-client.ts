import { lookup } from '#core/values/lookup.ts';
import { FormData } from 'undici';
import { AppError, inputError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import {
  readErrorBody,
  type ClientRequest,
  createJsonClient,
  type StreamedResponse,
} from '#serve/client/json-client.ts';

type Json = Readonly<Record<string, unknown>>;

/** Maximum number of redirects, the same as in browsers and `fetch`. */
const MAX_REDIRECTS = 20;

/** HTTP client for a gateway. Throws the gateway's error messages. */
export interface GatewayClient {
  json(method: ClientRequest['method'], path: string, body?: object | FormData): Promise<Json>;
  text(path: string): Promise<string>;
  /** Streams a response that may not fit into memory. */
  pieces(path: string): AsyncIterable<string>;
  /** Streams a binary response. */
  bytes(path: string): AsyncIterable<Uint8Array>;
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
  const requestText = async (...request: Parameters<typeof respond>): Promise<string> =>
    await (await respond(...request)).body.text();
  return {
    async json(method, path, body) {
      const text = await requestText(method, path, body);
      return text === '' ? {} : (parseJsonText(text) as Json);
    },
    text: (path) => requestText('GET', path),
    async *pieces(path) {
      const { body } = await respond('GET', path);
      yield* body.setEncoding('utf8');
    },
    async *bytes(path) {
      yield* (await respond('GET', path)).body as AsyncIterable<Uint8Array>;
    },
    close: () => client.close(),
  };
}

const asSentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);

/** Returns why a gateway cannot be reached, with a solution, as the end of a sentence. */
function explainConnectionError(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const reason = cause ?? error;
  const { code = '' } = reason as { readonly code?: string };
  const message = messageOf(reason).replace(/\.$/, '');
  return REASONS[code] ?? `${message}. Check the address and the network`;
}

const UNTRUSTED =
  'its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to a file with the certificate of its issuer';

/** Reasons and solutions by error code. */
const REASONS = lookup<string>({
  ENOTFOUND: 'the host name does not exist. Correct the address',
  EAI_AGAIN: 'the host name cannot be resolved. Correct the address, or check the network',
  ECONNREFUSED: 'connection refused. Start the gateway, or correct the address',
  ECONNRESET: 'the connection was closed. Check whether the gateway uses http or https, and check its log',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
});
