import { Readable } from 'node:stream';
import { Pool, type Dispatcher } from 'undici';
import { TurnQueue, type Leave } from '#core/limits/turn-queue.ts';
import type { ProviderLimits, Upstream, UpstreamAnswer, UpstreamRequest } from '../provider.ts';
import { decodedBody, createUpstreamBody, type BodyWriter, type Waiter } from './upstream-body.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import type { LookupFunction } from 'node:net';
import { configError } from '#contract/errors.ts';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';
import { guardedLookup, isAllowedAddress } from '#platform/guarded-lookup.ts';

interface UpstreamOptions {
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

/** A DNS lookup that rejects addresses that providers are not allowed to have. */
export const providerLookup = (local: boolean): LookupFunction =>
  guardedLookup({ allowsPrivate: local, refusal: (name, address) => refusal(name, address, local) });

/** Checks the URL of a provider, without resolving its host name. Throws a ConfigError. */
export function checkedUrl(name: string, text: string, local: boolean): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw configError(`Provider \`${name}\`: the URL must start with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw configError(
      `Provider \`${name}\`: the URL can only have a host, a path and a query. Put credentials into \`api_key\` or \`headers\`.`,
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
