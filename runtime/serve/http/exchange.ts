import type { ByteHold } from '#core/limits/byte-budget.ts';
import { type ReadBytesOptions, tooLargeError, readIncoming } from './read-body.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenHold } from '../request-memory.ts';

/** An HTTP request and its response, received by the app or by a direct route on Node's own objects. */
export interface HttpExchange {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** Reads the body. Throws an AppError if it is too large, too slow or truncated. */
  readonly readBody: (limits: BodyLimits) => Promise<Uint8Array>;
  /** The account of the bytes that are held for the request. */
  readonly hold: () => ByteHold;
  /** Sets a header of the response, even if the response becomes an error. */
  readonly setHeader: (name: string, value: string) => void;
  /** Sends a complete response. Exactly one of `answer`, `stream` and `sendPieces` is called, once. */
  readonly answer: (answer: HttpAnswer) => void;
  /** Starts a response with status 200 whose text is written as it becomes available. */
  readonly stream: (headers: Headers) => EventSink;
  /** Starts a response with status 200 whose pieces are requested as fast as the client reads them. */
  readonly sendPieces: (headers: Headers, source: PieceSource, keepAlive: KeepAlive) => void;
  /** Calls the listener once if the client disconnects before the response is complete. */
  readonly onGone: (listener: () => void) => void;
}

interface BodyLimits extends ReadBytesOptions {
  readonly maxBodyBytes: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Headers | undefined;
  readonly body?: string | Uint8Array | undefined;
}

export interface EventSink {
  readonly write: (text: string) => void;
  readonly end: () => void;
}

type Headers = Readonly<Record<string, string>>;

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Headers of a streamed response that no proxy must buffer. */
export const STREAM_TYPE = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Returns a signal that is aborted when the client disconnects before the response is complete. */
export function disconnectSignal(exchange: Pick<HttpExchange, 'onGone'>): AbortSignal {
  const gone = new AbortController();
  exchange.onGone(() => gone.abort());
  return gone.signal;
}

/** A body in pieces that are produced on demand. */
export interface PieceSource {
  /** Returns the next piece. Never rejects. */
  next(): Promise<IteratorResult<Uint8Array, void>>;
  /** Cancels the rest of the body. */
  cancel(): Promise<void>;
  /** Resolves if the body was cut off and the client does not read the rest: the connection is then closed. */
  readonly unread?: Promise<void> | undefined;
}

export interface KeepAlive {
  /** Text that is ignored by readers of the body. */
  readonly text: string;
  /** Interval of silence after which the text is sent, in milliseconds. */
  readonly milliseconds: number;
}

interface NodeExchangeParts {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Names and values of headers of every response, alternating: Node copies the headers of an object twice. */
  readonly head: readonly string[];
  readonly hold: OpenHold;
}

/** Maximum number of buffered bytes for a client that does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** The server's own limit for a whole request. */
const BODY_TIMEOUT_MS = 120_000;

/** Handles a request of known length on Node's own request and response; resolves when the response has started. */
export async function answerIncoming(
  { incoming, outgoing, head, hold }: NodeExchangeParts,
  handle: (exchange: HttpExchange) => Promise<void>,
): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const { headers, method = '', url = '' } = incoming;
  const set = new Map<string, string>();
  const begin = (status: number, own: NonNullable<HttpAnswer['headers']>, ...more: string[]): boolean => {
    begun.resolve();
    // Node reports writes to a disconnected client as errors.
    if (outgoing.destroyed) return false;
    outgoing.writeHead(status, [...head, ...[...set].flat(), ...Object.entries(own).flat(), ...more]);
    return true;
  };
  const exchange: HttpExchange = {
    method,
    url,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    async readBody({ maxBodyBytes, timeoutMs = BODY_TIMEOUT_MS, tooLargeMessage }) {
      const body = await readIncoming(incoming, timeoutMs, hold());
      if (body.length > maxBodyBytes) throw tooLargeError(maxBodyBytes, tooLargeMessage);
      return body;
    },
    hold,
    setHeader: (name, value) => void set.set(name, value),
    answer({ status, headers: own = {}, body = '' }) {
      if (begin(status, own, 'Content-Length', String(Buffer.byteLength(body)))) outgoing.end(body);
    },
    stream(own) {
      if (begin(200, own)) outgoing.flushHeaders();
      return {
        write(text) {
          if (outgoing.destroyed) return;
          outgoing.write(text);
          if (outgoing.writableLength > MAX_UNREAD_BYTES) outgoing.destroy();
        },
        end() {
          if (!outgoing.destroyed) outgoing.end();
        },
      };
    },
    sendPieces(own, source, keepAlive) {
      if (begin(200, own)) void writePieces(outgoing, source, keepAlive);
      else void source.cancel();
    },
    onGone(listener) {
      if (outgoing.destroyed) queueMicrotask(listener);
      else {
        outgoing.once('close', () => {
          if (!outgoing.writableFinished) listener();
        });
      }
    },
  };
  try {
    await handle(exchange);
  } catch (error) {
    for (const [name, value] of set) outgoing.setHeader(name, value);
    throw error;
  }
  await begun.promise;
}

/** Writes a body at the speed at which the client reads it. The response headers must have been set. */
async function writePieces(
  outgoing: ServerResponse,
  source: PieceSource,
  { text, milliseconds }: KeepAlive,
): Promise<void> {
  void source.unread?.then(() => outgoing.destroy());
  const keepAlive = setTimeout(() => {
    if (!outgoing.writableNeedDrain) outgoing.write(text);
    keepAlive.refresh();
  }, milliseconds);
  // The headers are sent together with the first piece if that is available immediately.
  const head = setImmediate(() => outgoing.flushHeaders());
  try {
    for (;;) {
      const { value, done } = await source.next();
      if (done === true) break;
      if (isGone(outgoing)) return await source.cancel();
      keepAlive.refresh();
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } finally {
    clearImmediate(head);
    clearTimeout(keepAlive);
  }
}

const isGone = ({ destroyed, closed }: ServerResponse): boolean => destroyed || closed;

/** Resolves when the response can take more data, or never will. */
function drained(outgoing: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    outgoing.off('drain', done);
    outgoing.off('close', done);
    resolve();
  };
  outgoing.once('drain', done);
  outgoing.once('close', done);
  if (isGone(outgoing)) done();
  return promise;
}
