import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '#contract/errors.ts';
import { authenticate, type Principal } from '../access.ts';
import type { Kernel } from '../kernel.ts';
import { nodeHeaders } from '../telemetry/request-trace.ts';
import type { Span } from '../telemetry/tracer.ts';
import { holdOfResponse, type OpenHold, readIncoming, type RequestBody, tooLargeError } from './body.ts';
import { compressLargeResponse, isLargeEnough } from './compress-responses.ts';
import { createRequestObserver } from './observe.ts';
import { createHostCheck, type HostRules, REQUEST_ID_HEADER, requestIdFrom } from './request-head.ts';

/**
 * An HTTP request and its response. Both the app and direct routes, which use Node's own objects,
 * provide it.
 */
export interface HttpExchange extends RequestBody {
  readonly method: string;
  readonly url: string;
  /** Sets a response header, even if the response becomes an error. */
  readonly setHeader: (name: string, value: string) => void;
  /**
   * Sends a complete response. Handlers must call exactly one of `answer`, `stream` and
   * `sendPieces`, and only once.
   */
  readonly answer: (answer: HttpAnswer) => void;
  /** Starts a response with status 200. Its text is written as it becomes available. */
  readonly stream: (headers: Headers) => EventSink;
  /** Starts a response with status 200. Its chunks are requested as fast as the client reads them. */
  readonly sendPieces: (headers: Headers, source: PieceSource, keepAlive: KeepAlive) => void;
  /** Calls the listener once if the client disconnects before the response is complete. */
  readonly onGone: (listener: () => void) => void;
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

/** Headers of a streamed response, which prevent proxies from buffering it. */
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

/** A body in chunks that are produced on demand. */
export interface PieceSource {
  /** Returns the next chunk. Never rejects. */
  next(): Promise<IteratorResult<Uint8Array, void>>;
  /** Cancels the rest of the body. */
  cancel(): Promise<void>;
  /**
   * Resolves if the body was cut off and the client does not read the rest. The connection is then
   * closed.
   */
  readonly unread?: Promise<void> | undefined;
}

export interface KeepAlive {
  /** Text that clients ignore when they parse the body. */
  readonly text: string;
  /** The text is sent after this many milliseconds of silence. */
  readonly milliseconds: number;
}

/**
 * A POST route that is handled with Node's own request and response objects. Avoiding the Fetch API
 * objects halves the cost of a request, but is only worthwhile for the busiest routes
 * (docs/decisions/0016). The app handles unusual requests and all errors.
 */
export interface DirectRoute {
  /** The route's pattern in the app. */
  readonly route: string;
  /** Pattern of the whole path. Its capture groups are the path parameters. */
  readonly path: RegExp;
  /**
   * Allowed values of the `Accept` header; undefined allows any value. Requests without the header
   * are always allowed.
   */
  readonly accepts?: ReadonlySet<string> | undefined;
  /** A header whose requests the app handles. */
  readonly appHeader?: string | undefined;
  readonly maxBodyBytes: number;
  readonly hostRules?: HostRules | undefined;
  /** Authenticates a request before its body is read. Default: the keys of the kernel. */
  readonly signIn?: ((headers: HttpExchange['headers']) => Promise<Principal>) | undefined;
  /** Headers to send with every response, as alternating names and values. */
  readonly head?: readonly string[] | undefined;
  /** Handles the request. Resolves when the response has started; rejects only before that. */
  readonly answer: (request: DirectRequest) => Promise<void>;
}

export interface DirectRequest {
  readonly exchange: HttpExchange;
  readonly requestId: string;
  readonly caller: Principal | undefined;
  /** Values of the path parameters. */
  readonly parts: readonly string[];
}

interface DirectMatch extends Pick<DirectRequest, 'parts'> {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Returns whether the direct route handles the request. If so, it sends the response or calls `fail`. */
export type DirectListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fail: (failure: DirectFailure) => void,
) => boolean;

/** The error of a request on a direct route. The app converts it to a response. */
export interface DirectFailure {
  readonly error: unknown;
  readonly requestId: string;
  readonly caller: Principal | undefined;
  readonly startedAt: number;
  /** Span of the request, which the app ends; undefined if the request is not traced. */
  readonly span: Span | undefined;
}

export function createDirectListener(kernel: Kernel, all: readonly DirectRoute[]): DirectListener {
  const observe = createRequestObserver(kernel, new Set());
  const routes = all.map((direct) => ({
    direct,
    refusal: direct.hostRules && createHostCheck(direct.hostRules),
  }));

  async function take(
    { incoming, outgoing, parts }: DirectMatch,
    { direct, refusal }: (typeof routes)[number],
    fail: (failure: DirectFailure) => void,
  ): Promise<void> {
    const startedAt = performance.now();
    const { headers, url = '' } = incoming;
    const requestId = requestIdFrom(headers['x-request-id']);
    let caller: Principal | undefined;
    const span = kernel.tracer?.startServer(nodeHeaders(headers));
    const answer = async (): Promise<void> => {
      const head = [REQUEST_ID_HEADER, requestId, ...(direct.head ?? [])];
      const hold = holdOfResponse(kernel.requestMemory, outgoing, () => caller?.name);
      await answerIncoming({ incoming, outgoing, head, hold }, async (exchange) => {
        const reason = refusal?.(exchange);
        if (reason !== undefined) throw new AppError('ForbiddenError', reason);
        caller = direct.signIn
          ? await direct.signIn(exchange.headers)
          : await authenticate(kernel.access, headers.authorization);
        await direct.answer({ exchange, requestId, caller, parts });
      });
    };
    try {
      await (span ? span.run(answer) : answer());
    } catch (error) {
      fail({ error, requestId, caller, startedAt, span });
      return;
    }
    const milliseconds = performance.now() - startedAt;
    const { statusCode: status } = outgoing;
    const { route } = direct;
    const path = withoutQuery(url);
    observe({ requestId, caller: caller?.name, method: 'POST', path, route, status, milliseconds, span });
  }

  return (incoming, outgoing, fail) => {
    for (const route of routes) {
      const match = route.direct.path.exec(incoming.url ?? '');
      if (!match) continue;
      if (!isPlain(incoming, route.direct)) return false;
      void take({ incoming, outgoing, parts: match.slice(1) }, route, fail);
      return true;
    }
    return false;
  };
}

/** The path as the app logs it: without the query, because some clients send API keys in the query. */
function withoutQuery(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/**
 * Whether a direct route can handle the request: it does not come from a web page, does not ask for
 * another response format, and does not have a body of unknown length.
 */
function isPlain(
  { method, headers }: IncomingMessage,
  { maxBodyBytes, accepts, appHeader }: DirectRoute,
): boolean {
  return (
    method === 'POST' &&
    headers['content-type'] === 'application/json' &&
    Number(headers['content-length']) <= maxBodyBytes &&
    headers.origin === undefined &&
    headers.host !== undefined &&
    headers.expect === undefined &&
    headers['content-encoding'] === undefined &&
    (appHeader === undefined || headers[appHeader] === undefined) &&
    (accepts === undefined || accepts.has(headers.accept ?? '*/*'))
  );
}

interface NodeExchangeParts {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /**
   * Headers to send with every response, as alternating names and values, because Node copies
   * headers twice if they are an object.
   */
  readonly head: readonly string[];
  readonly hold: OpenHold;
}

/** Maximum number of bytes that are buffered for a client that does not read its response. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** The server's time limit for receiving a whole request. */
const BODY_TIMEOUT_MS = 120_000;

/**
 * Handles a request of known length on Node's own request and response; resolves when the response has started.
 * @internal Exported for tests only.
 */
export async function answerIncoming(
  { incoming, outgoing, head, hold }: NodeExchangeParts,
  handle: (exchange: HttpExchange) => Promise<void>,
): Promise<void> {
  const { headers, method = '', url = '' } = incoming;
  let hasBegun = false;
  /** Resolves `answerIncoming`; set only if the response starts after `handle` has returned. */
  let onBegun: (() => void) | undefined;
  let set: Map<string, string> | undefined;
  const begin = (status: number, own: Headers, length?: number): boolean => {
    hasBegun = true;
    onBegun?.();
    // Node reports writes to a disconnected client as errors.
    if (outgoing.destroyed) return false;
    const all = [...head];
    if (set) for (const [name, value] of set) all.push(name, value);
    for (const name of Object.keys(own)) all.push(name, own[name] ?? '');
    if (length !== undefined) {
      all.push('Content-Length', String(length));
      if (isLargeEnough(length)) compressLargeResponse(incoming, outgoing);
    }
    outgoing.writeHead(status, all);
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
    setHeader(name, value) {
      set ??= new Map();
      set.set(name, value);
    },
    answer({ status, headers: own = {}, body = '' }) {
      if (begin(status, own, Buffer.byteLength(body))) outgoing.end(body);
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
    for (const [name, value] of set ?? []) outgoing.setHeader(name, value);
    throw error;
  }
  if (!hasBegun) await new Promise<void>((resolve) => (onBegun = resolve));
}

/** Writes a body as fast as the client reads it. The response headers must already be set. */
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
  // If the first chunk is available immediately, the headers are sent together with it.
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

/** Resolves when the response can accept more data, or when it has been closed. */
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
