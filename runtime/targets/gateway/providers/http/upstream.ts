import { Pool } from 'undici';
import type { ProviderLimits, Upstream } from '../api.ts';
import { checkedUrl, guardedLookup } from './guarded-lookup.ts';

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
    connections: limits.maxConnections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect: { timeout: limits.connectMs, lookup: guardedLookup(local) },
  });
  return {
    async request({ method, path, headers: own, body, signal }) {
      const answer = await pool.request({
        path: `${prefix}${path}`,
        method,
        // What clients send never stands in for the credentials that are configured.
        headers: { accept: 'application/json', 'content-type': 'application/json', ...own, ...headers },
        body: body ?? null,
        signal,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    close: () => pool.destroy(),
  };
}
