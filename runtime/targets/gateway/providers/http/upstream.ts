import { Pool } from 'undici';
import type { ProviderLimits, Upstream, UpstreamAnswer, UpstreamRequest } from '../api.ts';
import { checkedUrl, guardedLookup } from './guarded-lookup.ts';
import { type BodyWriter, createUpstreamBody } from './upstream-body.ts';

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
  const pool = new Pool(url.origin, {
    connections: limits.maxConnections ?? null,
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
    request: (request) =>
      dispatch(pool, {
        ...request,
        path: `${prefix}${request.path}`,
        headers: request.headers ? { ...JSON_BOTH_WAYS, ...request.headers, ...headers } : always,
      }),
    close: () => pool.destroy(),
  };
}

const JSON_BOTH_WAYS = { accept: 'application/json', 'content-type': 'application/json' };

/** Resolves when the head of the answer is there. */
function dispatch(
  pool: Pool,
  { method, path, headers, body, signal }: UpstreamRequest,
): Promise<UpstreamAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
  let hangUp: ((reason: Error) => void) | undefined;
  let writer: BodyWriter | undefined;
  const leave = (): void => {
    const reason = new Error('aborted');
    // Who waits for a connection is not known to undici as one who waits.
    reject(reason);
    hangUp?.(reason);
  };
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  pool.dispatch(
    { method, path, headers: headers ?? {}, body: body ?? null },
    {
      onRequestStart(controller) {
        hangUp = (reason) => controller.abort(reason);
        if (signal.aborted) leave();
      },
      onResponseStart(controller, status, received) {
        // What goes before the answer proper.
        if (status < 200) return;
        writer = createUpstreamBody(controller);
        resolve({ status, headers: received, body: writer.body });
      },
      onResponseData: (_controller, chunk) => writer?.push(chunk),
      onResponseEnd: () => writer?.end(),
      onResponseError(_controller, error) {
        reject(error);
        writer?.fail(error);
      },
    },
  );
  return promise;
}
