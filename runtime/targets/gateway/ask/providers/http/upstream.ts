import { type Dispatcher, Pool } from 'undici';
import { TurnQueue } from '../../../../../core/limits/turn-queue.ts';
import type { ProviderLimits, Upstream, UpstreamAnswer } from '../provider.ts';
import { decodedBody } from './decoded-body.ts';
import { checkedUrl, guardedLookup } from './guarded-lookup.ts';
import { type BodyWriter, createUpstreamBody } from './upstream-body.ts';
import { waitForTurn } from './wait-for-turn.ts';
import type { Waiter } from './waiter.ts';

export interface UpstreamOptions {
  readonly name: string;
  readonly baseUrl: string;
  readonly local: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: ProviderLimits;
}

const KEEP_ALIVE_MS = 30_000;

/**
 * HTTP to one provider over kept connections. Redirects are not followed: they would lead past the check of addresses, with
 * the key. How long an answer may take is for the callers to say, each for itself.
 */
export function createUpstream({ name, baseUrl, local, headers, limits }: UpstreamOptions): Upstream {
  const url = checkedUrl(name, baseUrl, local);
  const prefix = url.pathname.replace(/\/+$/, '');
  const atOnce = limits.maxConnections;
  // Undici keeps what waits for a connection until there is one, with its body, also when nobody wants the answer any more.
  const turns = atOnce === undefined ? undefined : new TurnQueue(atOnce, Infinity);
  const pool = new Pool(url.origin, {
    connections: atOnce ?? null,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect: { timeout: limits.connectMs, lookup: guardedLookup(local) },
  });
  // What clients send never stands in for the credentials that are configured.
  const always = { ...JSON_BOTH_WAYS, ...headers };
  return {
    request: ({ method, path, headers: own, body = null, waiter }) => {
      const all = own ? { ...JSON_BOTH_WAYS, ...own, ...headers } : always;
      const options = { method, path: `${prefix}${path}`, headers: all, body };
      if (!turns) return dispatch(pool, options, waiter);
      return waitForTurn(turns, waiter).then((leave) => dispatch(pool, options, waiter, leave));
    },
    close: () => pool.destroy(),
  };
}

const JSON_BOTH_WAYS = { accept: 'application/json', 'content-type': 'application/json' };

/** Resolves when the head of the answer is there. */
function dispatch(
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  waiter: Waiter,
  ended?: () => void,
): Promise<UpstreamAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  let call: Dispatcher.DispatchController | undefined;
  let writer: BodyWriter | undefined;
  const hangUp = (): void => {
    const reason = new Error('aborted');
    // Who waits for a connection is not known to undici as one who waits.
    reject(reason);
    call?.abort(reason);
  };
  waiter.onLeave(hangUp);
  pool.dispatch(options, {
    onRequestStart(controller) {
      call = controller;
      if (waiter.hasLeft()) hangUp();
      else waiter.markSent();
    },
    onResponseStart(controller, status, received) {
      // What goes before the answer proper.
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
