import { lookup } from '#core/values/lookup.ts';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { REQUEST_ID_HEADER, requestIdFrom } from './request-head.ts';

/** Converts an error to a response for a request that does not reach the app. */
export type Refuse = (error: AppError, status: number) => Response;

/** The error format for servers that do not have their own. */
export const plainTextRefusal: Refuse = ({ message }, status) => new Response(message, { status });

export const MAX_HEADER_BYTES = 16_384;

/**
 * Rejects invalid requests with an explanation in the server's error format. Node itself would
 * reject them with an uninformative response.
 */
export function answerInvalidRequest(
  server: Server,
  refuse: Refuse,
  /** Whether the client has already received part of a response on this connection. */
  hasBegun: (connection: Duplex) => boolean,
): void {
  server.on('clientError', (error: BrokenRequest, socket: Duplex) => {
    // The rejection closes the connection. Later bytes on the connection are not read and do not
    // get a response.
    if (refused.has(socket)) return;
    const problem = problemOf(error);
    // A response that has been started cannot be completed, and any other bytes would be
    // interpreted as part of it.
    if (!problem || !socket.writable || hasBegun(socket) || isUnused(socket)) socket.destroy(error);
    else void answerSocket(socket, refuse(problem.error, problem.status));
  });
  server.on('checkExpectation', ({ headers }: IncomingMessage, outgoing: ServerResponse) => {
    const found = JSON.stringify(headers.expect?.slice(0, 100));
    const message = `Unsupported Expect header: found ${found}. The only supported value is 100-continue.`;
    void answerRejected(outgoing, refuse(new AppError('MalformedError', message), 417));
  });
  server.on('connect', ({ url = '' }: IncomingMessage, socket: Duplex) => {
    const asked = JSON.stringify(url.slice(0, 100));
    const message = `Method not allowed: CONNECT ${asked}. This server is not a proxy.`;
    socket.on('error', () => {});
    void answerSocket(socket, refuse(new AppError('MethodError', message), 405));
  });
}

/**
 * Whether a client has only opened a connection, as connection pools do. If the server sent a
 * response now, the client could mistake it for the response to its next request.
 */
const isUnused = (socket: Duplex): boolean => 'bytesRead' in socket && socket.bytesRead === 0;

/** Connections whose last request was rejected because of its request line or headers. */
const refused = new WeakSet<Duplex>();

/** Rejects a request that must not be passed to the app. */
export async function answerRejected(outgoing: ServerResponse, refusal: Response): Promise<void> {
  if (outgoing.socket) refused.add(outgoing.socket);
  const body = await refusal.text();
  // The rest of the request would be interpreted as the next request.
  outgoing.writeHead(refusal.status, headersOf(refusal, body));
  outgoing.end(body);
}

interface BrokenRequest extends Error {
  readonly code?: string;
  /** The reason that the HTTP parser reports. */
  readonly reason?: string;
}

interface Problem {
  readonly status: number;
  readonly error: AppError;
}

/**
 * Undefined for errors that are not caused by a request, such as a broken connection or a failed
 * TLS handshake.
 */
function problemOf({ code = '', reason }: BrokenRequest): Problem | undefined {
  const known = PROBLEMS[code];
  if (known) return { status: known[0], error: new AppError(known[1], known[2]) };
  if (!code.startsWith('HPE_')) return undefined;
  const message = `Bad request: ${reason ?? 'malformed HTTP'}.`;
  return { status: 400, error: new AppError('MalformedError', message) };
}

const PROBLEMS = lookup<readonly [status: number, code: ErrorCode, message: string]>({
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'SlowRequestError', 'The request did not arrive in time.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'TooLargeError', 'The chunk extensions are too large.'],
  HPE_PAUSED_H2_UPGRADE: [505, 'MalformedError', 'HTTP/2 is not supported on this port. Use HTTP/1.1.'],
  HPE_HEADER_OVERFLOW: [431, 'TooLargeError', `Headers too large: the maximum is ${MAX_HEADER_BYTES} bytes.`],
});

async function answerSocket(socket: Duplex, refusal: Response): Promise<void> {
  const body = await refusal.text();
  const lines = Object.entries(headersOf(refusal, body)).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = refusal;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => {
    socket.destroy();
  });
}

const headersOf = ({ headers }: Response, body: string): Record<string, string> => ({
  ...Object.fromEntries(headers),
  [REQUEST_ID_HEADER]: requestIdFrom(undefined),
  'Content-Length': String(Buffer.byteLength(body)),
  Connection: 'close',
});
