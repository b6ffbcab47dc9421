import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { type Leave, TurnQueue } from '#core/limits/turn-queue.ts';
import type { ProviderLimits, Upstream, UpstreamAnswer, UpstreamRequest } from '../provider.ts';
import { decodedBody } from './decoded-body.ts';
import { checkedUrl, providerLookup } from './provider-address.ts';
import { type BodyWriter, createUpstreamBody } from './upstream-body.ts';
import type { Waiter } from './waiter.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

export interface UpstreamOptions {
  readonly name: string;
  readonly baseUrl: string;
  readonly local: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: ProviderLimits;
}

const KEEP_ALIVE_MS = 30_000;

/**
 * HTTP to one provider with connection reuse. Redirects are not followed: they would bypass the check of addresses and send the
 * API key elsewhere. Time limits for answers are up to the callers.
 */
export function createUpstream({ name, baseUrl, local, headers, limits }: UpstreamOptions): Upstream {
  const url = checkedUrl(name, baseUrl, local);
  const prefix = trimEndOf(url.pathname, '/');
  const query = url.search.slice(1);
  const pathOf = (path: string): string =>
    query === '' ? `${prefix}${path}` : `${prefix}${path}${path.includes('?') ? '&' : '?'}${query}`;
  const { maxConnections } = limits;
  // Undici would keep requests that wait for a connection, with their bodies, even after they are cancelled.
  const turns = maxConnections === undefined ? undefined : new TurnQueue(maxConnections, Infinity);
  const pool = new Pool(url.origin, {
    connections: maxConnections ?? null,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect: { timeout: limits.connectMs, lookup: providerLookup(local) },
  });
  // Configured headers replace those of clients, so that clients cannot replace credentials.
  const defaults = { ...JSON_HEADERS, ...headers };
  return {
    request: ({ method, path, headers: own, body = null, waiter }) => {
      const all = own ? { ...JSON_HEADERS, ...own, ...headers } : defaults;
      const options = { method, path: pathOf(path), headers: all, body: bodyOf(body) };
      if (!turns) return dispatch(pool, options, waiter);
      return waitForTurn(turns, waiter).then((leave) => dispatch(pool, options, waiter, leave));
    },
    async upgrade({ path, headers: own, signal }) {
      const { socket } = await pool.upgrade({
        path: pathOf(path),
        method: 'GET',
        protocol: 'websocket',
        headers: { ...own, ...headers },
        signal,
      });
      return socket;
    },
    close: () => pool.destroy(),
  };
}

const bodyOf = (body: UpstreamRequest['body'] | null): Uint8Array | Readable | null =>
  isPieces(body) ? Readable.from(body, { objectMode: false }) : (body ?? null);

const isPieces = (body: UpstreamRequest['body'] | null): body is readonly Uint8Array[] => Array.isArray(body);

const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' };

/** Sends a request. Resolves when the headers of the answer have arrived. */
function dispatch(
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  waiter: Waiter,
  ended?: () => void,
): Promise<UpstreamAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  let call: Dispatcher.DispatchController | undefined;
  let writer: BodyWriter | undefined;
  const abort = (): void => {
    const reason = new Error('aborted');
    // Undici has no controller yet for a request that waits for a connection, so this rejects it directly.
    reject(reason);
    call?.abort(reason);
  };
  waiter.onCancel(abort);
  pool.dispatch(options, {
    onRequestStart(controller) {
      call = controller;
      if (waiter.isCancelled()) abort();
      else waiter.markSent();
    },
    onResponseStart(controller, status, received) {
      // Informational responses (1xx) precede the answer.
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
  });
  return promise;
}

/** Waits for a free connection. Resolves with a function that frees it again; rejects if the request is cancelled before. */
async function waitForTurn(turns: TurnQueue, waiter: Waiter): Promise<Leave> {
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
