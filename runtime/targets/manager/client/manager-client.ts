import { createInterface } from 'node:readline';
import { parseLossless } from '#core/json/lossless-json.ts';
import { createJsonClient, readErrorBody } from '#serve/client/json-client.ts';
import { AppError, messageOf } from '#contract/errors.ts';

/** HTTP client for a running manager. Error responses and connection failures reject with an AppError. */
export interface ManagerClient {
  readonly origin: string;
  /** Numbers beyond double precision are preserved in requests and responses. */
  get(path: string): Promise<unknown>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  put(path: string, body: unknown): Promise<unknown>;
  delete(path: string): Promise<unknown>;
  /** Yields the lines of a response as they arrive. */
  lines(path: string, signal: AbortSignal): AsyncIterable<string>;
  close(): Promise<void>;
}

export function createManagerClient(address: URL, apiKey: string | undefined): ManagerClient {
  const { origin } = address;
  const client = createJsonClient(address, {
    headers: {
      accept: 'application/json, application/x-ndjson',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
  });
  const reach = async <Response>(response: Promise<Response>): Promise<Response> => {
    try {
      return await response;
    } catch (error) {
      throw connectionError(error, origin);
    }
  };
  const request = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    value?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<unknown> => {
    const body = value === undefined ? undefined : JSON.stringify(value);
    const { status, header, text } = await reach(client.ask({ method, path, body, headers }));
    const contentType = header('content-type');
    if (status === 200 && contentType.startsWith('application/json')) return parseLossless(text);
    throw responseError({ status, contentType, text }, origin);
  };

  return {
    origin,
    get: (path) => request('GET', path),
    post: (path, body, headers) => request('POST', path, body, headers),
    put: (path, body) => request('PUT', path, body),
    delete: (path) => request('DELETE', path),
    async *lines(path, signal) {
      const { status, header, body } = await reach(client.open({ method: 'GET', path, signal }));
      const contentType = header('content-type');
      if (status !== 200 || !contentType.startsWith('application/x-ndjson')) {
        throw responseError({ status, contentType, text: await body.text() }, origin);
      }
      try {
        // Empty lines only keep the connection alive.
        for await (const line of createInterface({ input: body })) if (line !== '') yield line;
      } catch (error) {
        if (!signal.aborted) throw connectionError(error, origin);
      }
    },
    close: () => client.close(),
  };
}

/** Builds a path below `/api/v1/`; each part stays one segment, even if it contains a slash. */
export const apiPath = (...parts: readonly string[]): string =>
  `/api/v1/${parts.map((part) => encodeURIComponent(part)).join('/')}`;

export const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;

/** A response without the expected result. */
interface ErrorResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Converts a response to an error, with the manager's message if the manager sent the response. */
function responseError({ status, contentType, text }: ErrorResponse, origin: string): AppError {
  const problem = contentType.startsWith('application/problem+json') ? readErrorBody(text) : undefined;
  if (!problem) {
    return new AppError(
      'UpstreamError',
      `The server at ${origin} is not an mcp-manager: it returned status ${status} with ${contentType || 'no content type'}. Set another address with --url.`,
    );
  }
  const message = [problem.message, ...problem.details.filter((detail) => detail !== problem.message)].join(
    ': ',
  );
  if (status !== 401) return new AppError('UpstreamError', message);
  return new AppError('UnauthorizedError', `${message} Set a key with --api-key or MCP_MANAGER_API_KEY.`);
}

/** Converts a connection failure to an error. */
function connectionError(error: unknown, origin: string): AppError {
  const code = (error as { readonly code?: unknown }).code;
  const why = code === 'ECONNREFUSED' ? '' : ` (${messageOf(error) || String(code)})`;
  return new AppError(
    'UnavailableError',
    `No manager is running at ${origin}${why}. Start one with \`mcp-manager daemon\`, or set its address with --url.`,
    { cause: error },
  );
}
