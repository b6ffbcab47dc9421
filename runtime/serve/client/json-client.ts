import { Agent, type Dispatcher, type FormData, interceptors } from 'undici';
import { guardedConnect } from './guarded-connect.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';

export interface JsonClientOptions {
  /** Headers to send with all requests. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly connections?: number | undefined;
  readonly connectMs?: number | undefined;
  /** Timeout for receiving the response headers, and for pauses while receiving the body. */
  readonly answerMs?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
  /** Maximum number of redirects to follow. Default: 0. */
  readonly maxRedirects?: number | undefined;
}

export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path that is appended to the base URL. */
  readonly path: string;
  /** The request body: a JSON string or a form. */
  readonly body?: string | FormData | undefined;
  /** Headers to send with this request only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A response, whatever its status. */
interface ClientResponse {
  readonly status: number;
  /** The header with this lower-case name, or an empty string. */
  readonly header: (name: string) => string;
}

interface TextResponse extends ClientResponse {
  readonly text: string;
}

export interface StreamedResponse extends ClientResponse {
  readonly body: Dispatcher.ResponseData['body'];
}

/** Sends JSON requests to one server. Requests reject if there is no response. */
export interface JsonClient {
  /** Sends a request. Resolves with the complete response. */
  ask(request: ClientRequest): Promise<TextResponse>;
  /** Sends a request. Resolves when the response starts. The caller must read the body. */
  open(request: ClientRequest): Promise<StreamedResponse>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export function createJsonClient(baseUrl: string | URL, options: JsonClientOptions = {}): JsonClient {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = trimEndOf(pathname, '/');
  const { connectMs, answerMs, maxRedirects = 0 } = options;
  const agent = new Agent({
    connections: options.connections ?? null,
    ...(maxRedirects > 0
      ? // A server must not redirect this program to instance metadata.
        { connect: guardedConnect({ allowsPrivate: true, timeoutMs: connectMs }) }
      : connectMs !== undefined && { connect: { timeout: connectMs } }),
    ...(answerMs !== undefined && { headersTimeout: answerMs, bodyTimeout: answerMs }),
    ...(options.maxResponseBytes !== undefined && { maxResponseSize: options.maxResponseBytes }),
  });
  const dispatcher =
    maxRedirects > 0 ? agent.compose(interceptors.redirect({ maxRedirections: maxRedirects })) : agent;

  const open: JsonClient['open'] = async ({ method, path, body, headers: own, signal }) => {
    const {
      statusCode,
      headers,
      body: content,
    } = await dispatcher.request({
      origin,
      path: prefix + path,
      method,
      headers: {
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...options.headers,
        ...own,
      },
      body: body ?? null,
      signal: signal ?? null,
    });
    return { status: statusCode, header: (name) => String(headers[name] ?? ''), body: content };
  };
  return {
    open,
    async ask(request) {
      const { status, header, body } = await open(request);
      return { status, header, text: await body.text() };
    },
    close: () => agent.destroy(),
  };
}

/** The error that a response body describes. */
interface ErrorBody {
  readonly message: string;
  /** The stable error name. */
  readonly code: string | undefined;
  /** Messages about individual fields of the request. */
  readonly details: readonly string[];
}

/**
 * Reads error bodies of all servers in this project: `error.message` with `error.code` as in
 * OpenAI's API, and `detail` with `errors` as in RFC 9457. Returns undefined if the body has neither format.
 */
export function readErrorBody(text: string): ErrorBody | undefined {
  let body: unknown;
  try {
    body = parseJsonText(text);
  } catch {
    return undefined;
  }
  if (!isObject(body)) return undefined;
  const { error, detail, errors } = body;
  const details = messagesIn(errors);
  if (isObject(error) && typeof error['message'] === 'string') {
    const code = typeof error['code'] === 'string' ? error['code'] : undefined;
    return { message: error['message'], code, details };
  }
  if (typeof detail === 'string') return { message: detail, code: undefined, details };
  return undefined;
}

const messagesIn = (errors: unknown): string[] =>
  Array.isArray(errors)
    ? errors.flatMap((one: unknown) =>
        isObject(one) && typeof one['message'] === 'string' ? [one['message']] : [],
      )
    : [];
