import { lookup } from '#core/values/lookup.ts';
import { Readable, type Duplex } from 'node:stream';
import { Pool, type Dispatcher } from 'undici';
import { TurnQueue, type Leave } from '#core/limits/turn-queue.ts';
import type { Turns, TurnsOf } from './provider-turns.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import type { LookupFunction } from 'node:net';
import { configError, AppError, messageOf } from '#contract/errors.ts';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';
import { guardedLookup, isAllowedAddress } from '#platform/guarded-lookup.ts';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body, in one or several pieces, which are not copied. */
  readonly body?: Uint8Array | readonly Uint8Array[] | undefined;
  readonly waiter: Waiter;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: UpstreamBody;
}

interface UpgradeRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** HTTP client for a single origin. */
export interface Upstream {
  request(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** Upgrades a connection to another protocol. Returns the server's response if it rejects the upgrade. */
  upgrade?(request: UpgradeRequest): Promise<Duplex | UpstreamAnswer>;
  close(): Promise<void>;
}

interface UpstreamOptions {
  readonly name: string;
  readonly baseUrl: string;
  readonly local: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: { readonly connectMs: number; readonly maxConnections: number | undefined };
  /** Limits concurrent requests. Default: a limit of this client alone. */
  readonly turnsOf?: TurnsOf | undefined;
}

const KEEP_ALIVE_MS = 30_000;

/**
 * HTTP client for one provider with connection reuse. Redirects are not followed, because they would bypass
 * the address check and send the API key to another server. Callers are responsible for response timeouts.
 */
export function createUpstream({
  name,
  baseUrl,
  local,
  headers,
  limits,
  turnsOf = ownTurns,
}: UpstreamOptions): Upstream {
  const url = checkedUrl(name, baseUrl, local);
  const prefix = trimEndOf(url.pathname, '/');
  const query = url.search.slice(1);
  const pathOf = (path: string): string =>
    query === '' ? `${prefix}${path}` : `${prefix}${path}${path.includes('?') ? '&' : '?'}${query}`;
  const { maxConnections } = limits;
  // Undici would keep requests that wait for a connection, including their bodies, even after the requests
  // have been canceled.
  const turns = maxConnections === undefined ? undefined : turnsOf(`${name} ${url.href}`, maxConnections);
  const pool = new Pool(url.origin, {
    connections: maxConnections ?? null,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect: { timeout: limits.connectMs, lookup: providerLookup(local) },
  });
  // Configured headers replace the client's, so that clients cannot replace credentials.
  const defaults = { ...JSON_HEADERS, ...headers };
  return {
    request: ({ method, path, headers: own, body = null, waiter }) => {
      const all = own ? { ...JSON_HEADERS, ...own, ...headers } : defaults;
      const options = { method, path: pathOf(path), headers: all, body: bodyOf(body) };
      if (!turns) return dispatch(pool, options, waiter);
      return waitForTurn(turns, waiter).then((leave) => dispatch(pool, options, waiter, leave));
    },
    upgrade: ({ path, headers: own, signal }) =>
      dispatchUpgrade(
        pool,
        { method: 'GET', path: pathOf(path), upgrade: 'websocket', headers: { ...own, ...headers } },
        signal,
      ),
    close: () => pool.destroy(),
  };
}

const ownTurns: TurnsOf = (_server, maxRequests) => new TurnQueue(maxRequests, Infinity);

const bodyOf = (body: UpstreamRequest['body'] | null): Uint8Array | Readable | null =>
  isPieces(body) ? Readable.from(body, { objectMode: false }) : (body ?? null);

const isPieces = (body: UpstreamRequest['body'] | null): body is readonly Uint8Array[] => Array.isArray(body);

const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' };

/** Sends a request. Resolves when the response headers have arrived. */
function dispatch(
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  waiter: Waiter,
  ended?: () => void,
): Promise<UpstreamAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  let call: Dispatcher.DispatchController | undefined;
  const abort = (): void => {
    const reason = new Error('aborted');
    // For a request that is still waiting for a connection, Undici has no controller yet, so the promise is
    // rejected directly.
    reject(reason);
    call?.abort(reason);
  };
  waiter.onCancel(abort);
  pool.dispatch(options, {
    ...receiveAnswer(resolve, reject, ended),
    onRequestStart(controller) {
      call = controller;
      if (waiter.isCancelled()) abort();
      else waiter.markSent();
    },
  });
  return promise;
}

/** The same for a request to change the protocol. Resolves with the connection, or with the response to a rejected request. */
function dispatchUpgrade(
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Duplex | UpstreamAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex | UpstreamAnswer>();
  let call: Dispatcher.DispatchController | undefined;
  const abort = (): void => {
    const reason = new Error('aborted');
    reject(reason);
    call?.abort(reason);
  };
  if (signal.aborted) return Promise.reject(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  const settled = (): void => signal.removeEventListener('abort', abort);
  pool.dispatch(options, {
    ...receiveAnswer(resolve, reject, settled),
    onRequestStart(controller) {
      call = controller;
      if (signal.aborted) abort();
    },
    onRequestUpgrade(_controller, _status, _headers, socket) {
      settled();
      resolve(socket);
    },
  });
  return promise;
}

/** The part of a handler that receives a response, whose body is read as it arrives. */
function receiveAnswer(
  resolve: (answer: UpstreamAnswer) => void,
  reject: (error: Error) => void,
  ended?: () => void,
): Dispatcher.DispatchHandler {
  let writer: BodyWriter | undefined;
  return {
    onResponseStart(controller, status, received) {
      // Informational responses (1xx) precede the final response.
      if (status < 200) return;
      writer = createUpstreamBody(controller);
      const body = decodedBody(writer.body, received['content-encoding']);
      resolve({ status, headers: received, body });
    },
    onResponseData: (_controller, chunk) => writer?.push(chunk),
    onResponseEnd() {
      ended?.();
      writer?.end();
    },
    onResponseError(_controller, error) {
      ended?.();
      reject(error);
      writer?.fail(error);
    },
  };
}

/** Waits for a free connection. Resolves with a function that releases it; rejects if the request is canceled first. */
async function waitForTurn(turns: Turns, waiter: Waiter): Promise<Leave> {
  const turn = turns.ask();
  if (turn.kind === 'granted') return turn.leave;
  if (turn.kind === 'refused') throw new Error('too many requests are waiting');
  const { promise: cancelled, reject } = Promise.withResolvers<never>();
  waiter.onCancel(() => reject(new Error('aborted')));
  try {
    await Promise.race([turn.granted, cancelled]);
  } catch (error) {
    turn.leave();
    throw error;
  }
  return turn.leave;
}

/** A DNS lookup that rejects addresses at which providers must not be called. */
export const providerLookup = (local: boolean): LookupFunction =>
  guardedLookup({ allowsPrivate: local, refusal: (name, address) => refusal(name, address, local) });

/** Checks a provider's URL without resolving its host name. Throws a ConfigError. */
export function checkedUrl(name: string, text: string, local: boolean): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw configError(`Provider \`${name}\`: the URL must start with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw configError(
      `Provider \`${name}\`: the URL can only have a host, a path and a query. Put credentials in \`api_key\` or \`headers\`.`,
    );
  }
  if (isIpAddress(url.hostname) && !isAllowedAddress(addressKind(url.hostname), local)) {
    throw refusal(name, url.hostname, local);
  }
  return url;
}

function refusal(name: string, address: string, local: boolean): Error {
  const remedy = local ? 'Use a public or private address.' : 'Set `local: true` to allow a private address.';
  return configError(`\`${name}\` has the address ${address}, which is not public. ${remedy}`);
}

/**
 * A response body. The owner of a body must either read it to its end, in pieces or as a whole, or destroy
 * it.
 */
export interface UpstreamBody {
  /**
   * Returns the next bytes; undefined at the end. Rejects if the connection broke or the body was
   * destroyed. Must not be called concurrently.
   */
  next(): Promise<Buffer | undefined>;
  /**
   * Returns the whole body. If the body exceeds `limit` bytes, stops reading and rejects with a
   * TooLargeError.
   */
  collect(limit: number): Promise<Buffer>;
  /** Closes the connection, unless the body has ended. */
  destroy(): void;
}

/** The writing side of a body. */
interface BodyWriter {
  readonly body: UpstreamBody;
  push(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Maximum number of bytes buffered for the reader; beyond it, reading from the provider pauses. */
const MAX_BUFFERED_BYTES = 128 * 1024;

/** Buffers a body. Node's streams could do this, but they cost more than the rest of a request. @internal */
export function createUpstreamBody(controller: Dispatcher.DispatchController): BodyWriter {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let limit = Infinity;
  let isWhole = false;
  let ended = false;
  let error: Error | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;

  const wake = (): void => {
    waiting?.resolve();
    waiting = undefined;
  };
  const wait = (): Promise<void> => {
    waiting = Promise.withResolvers<void>();
    return waiting.promise;
  };
  const fail = (reason: Error): void => {
    error ??= reason;
    chunks = [];
    wake();
  };
  const abort = (reason: Error): void => {
    if (ended || error) return;
    fail(reason);
    controller.abort(reason);
  };

  const body: UpstreamBody = {
    async next() {
      if (chunks.length === 0 && !ended && !error) await wait();
      if (error) throw error;
      const chunk = chunks.shift();
      bytes -= chunk?.length ?? 0;
      if (controller.paused && bytes < MAX_BUFFERED_BYTES) controller.resume();
      return chunk;
    },
    async collect(maxBytes) {
      limit = maxBytes;
      isWhole = true;
      if (bytes > limit) abort(answerTooLarge(limit));
      if (controller.paused) controller.resume();
      if (!ended && !error) await wait();
      if (error) throw error;
      // Needed for a body that had arrived completely, because it was not aborted above.
      if (bytes > limit) throw answerTooLarge(limit);
      const [only] = chunks;
      return chunks.length === 1 && only ? only : Buffer.concat(chunks, bytes);
    },
    destroy: () => abort(new Error('the body was discarded')),
  };
  return {
    body,
    push(chunk) {
      if (error) return;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limit) abort(answerTooLarge(limit));
      else if (!isWhole) {
        if (bytes >= MAX_BUFFERED_BYTES) controller.pause();
        wake();
      }
    },
    end() {
      ended = true;
      wake();
    },
    fail,
  };
}

/** Decoders, by HTTP content coding name. @see https://www.iana.org/assignments/http-parameters */
const DECODERS = lookup<() => Duplex>({
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
});

/**
 * Decodes a compressed body. The gateway does not request compression, but some servers and proxies compress
 * every response.
 */
function decodedBody(
  body: UpstreamBody,
  contentEncoding: string | readonly string[] | undefined,
): UpstreamBody {
  const codings = String(contentEncoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (codings.length === 0) return body;

  let pieces: AsyncIterable<Buffer> = piecesOf(body);
  // Content codings are listed in the order in which they were applied, so the last one is decoded first.
  for (const name of codings.toReversed()) pieces = decoded(pieces, name);
  const iterator = pieces[Symbol.asyncIterator]();
  const next = async (): Promise<Buffer | undefined> => {
    const { done, value } = await iterator.next();
    return done ? undefined : value;
  };
  return {
    next,
    async collect(limit) {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
        bytes += chunk.length;
        if (bytes > limit) {
          body.destroy();
          throw answerTooLarge(limit);
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, bytes);
    },
    destroy: () => body.destroy(),
  };
}

async function* piecesOf(body: UpstreamBody): AsyncGenerator<Buffer> {
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) yield chunk;
}

async function* decoded(pieces: AsyncIterable<Buffer>, coding: string): AsyncGenerator<Buffer> {
  const create = DECODERS[coding];
  if (!create) throw undecodable(coding, new Error('unknown content coding'));
  const source = Readable.from(pieces, { objectMode: false });
  let broken: Error | undefined;
  // A connection error explains a truncated response better than the decoder's error.
  source.once('error', (error: Error) => (broken = error));
  const decoder = create();
  source.once('error', () => decoder.end());
  try {
    const decoded: AsyncIterable<Buffer> = source.pipe(decoder);
    for await (const chunk of decoded) yield chunk;
  } catch (error) {
    throw broken ?? undecodable(coding, error);
  } finally {
    source.destroy();
  }
  if (broken) throw broken;
}

const undecodable = (coding: string, cause: unknown): AppError =>
  new AppError('MalformedError', `Cannot decode the provider's response as ${coding}: ${messageOf(cause)}.`, {
    cause,
  });

const answerTooLarge = (limit: number): AppError =>
  new AppError(
    'TooLargeError',
    `The provider's response exceeds the maximum of ${limit} bytes. Increase the provider's \`max_response_bytes\`.`,
  );

/**
 * Cancels one request, like an AbortController, but supports only a single listener and takes a tenth of
 * the time.
 */
export interface Waiter {
  readonly isCancelled: () => boolean;
  /** Called when the request is sent. From then on, the provider can bill the request. */
  readonly markSent: () => void;
  readonly isSent: () => boolean;
  /** Sets the listener, replacing the previous one. Runs it immediately if the request is already canceled. */
  readonly onCancel: (run: () => void) => void;
  readonly cancel: () => void;
}

export function createWaiter(): Waiter {
  let isCancelled = false;
  let isSent = false;
  let listener: (() => void) | undefined;
  return {
    isCancelled: () => isCancelled,
    markSent: () => void (isSent = true),
    isSent: () => isSent,
    onCancel(run) {
      listener = run;
      if (isCancelled) run();
    },
    cancel() {
      if (isCancelled) return;
      isCancelled = true;
      listener?.();
    },
  };
}
