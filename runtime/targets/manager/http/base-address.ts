import type { Context } from 'hono';
import { createHostCheck, type HostRules } from '../../../serve/http/host-rules.ts';

/** Returns the base URL that the client used, for example `https://tools.example:8443`. */
export type BaseAddress = (c: Context) => string;

/**
 * Creates a function that reads the base URL. A proxy sends it in `X-Forwarded-Proto` and `X-Forwarded-Host`. Clients can send
 * these headers, too, and a proxy of this machine may pass them on, so they are only used with `trustProxy`.
 */
export function createBaseAddress({ trustProxy = false }: { trustProxy?: boolean | undefined }): BaseAddress {
  return (c) => {
    const forwarded = (name: string): string | undefined =>
      trustProxy ? c.req.header(name)?.split(',')[0]?.trim() : undefined;
    const own = c.req.url.startsWith('https:') ? 'https' : 'http';
    const scheme = forwarded('X-Forwarded-Proto')?.toLowerCase();
    const host = forwarded('X-Forwarded-Host');
    return `${scheme === 'http' || scheme === 'https' ? scheme : own}://${host && HOST.test(host) ? host : hostOf(c)}`;
  };
}

export interface ReturnBaseOptions {
  /** The URL of the manager in the configuration. */
  readonly publicUrl: string | undefined;
  readonly trustProxy?: boolean | undefined;
  readonly hostRules: Pick<HostRules, 'hostname' | 'allowedHosts'>;
}

/**
 * Creates a function that returns the base URL to which a browser may bring the code of a sign-in. Whoever starts a sign-in for
 * another person chooses the `Host` header, so it only counts if the configuration names the host, or with `trustProxy`.
 */
export function createReturnBase({
  publicUrl,
  trustProxy,
  hostRules: { hostname, allowedHosts = [] },
}: ReturnBaseOptions): (c: Context) => string | undefined {
  const baseAddress = createBaseAddress({ trustProxy });
  // With a loopback address, hosts that are not listed are refused.
  const refusal = createHostCheck({ hostname: '127.0.0.1', allowedHosts: [...allowedHosts, hostname] });
  return (c) => {
    if (publicUrl !== undefined) return publicUrl.replace(/\/$/, '');
    const base = baseAddress(c);
    const headers = new Headers({ host: new URL(base).host });
    return trustProxy || refusal({ url: base, headers }) === undefined ? base : undefined;
  };
}

/** A host with an optional port. Other characters could change the meaning of a URL. */
export const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function hostOf(c: Context): string {
  const [, , host = 'localhost'] = c.req.url.split('/', 3);
  return host;
}
