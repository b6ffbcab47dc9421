import type { ByteHold } from '#core/limits/byte-budget.ts';
import type { ReadOptions } from '../read-bytes.ts';
import type { KeepAlive, PieceSource } from './piece-source.ts';

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

interface BodyLimits extends ReadOptions {
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
