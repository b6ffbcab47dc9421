import type { Context } from 'hono';
import { isLoopbackHost } from '../../../serve/http/host-rules.ts';

/** The environment that `@hono/node-server` passes with a request. */
interface NodeEnv {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

/** Returns the base URL that the client used, for example `https://tools.example:8443`. */
export type BaseAddress = (c: Context) => string;

/**
 * Creates a function that reads the base URL. A proxy sends it in `X-Forwarded-Proto` and `X-Forwarded-Host`. Any client could
 * send these headers, so they are only used from this machine, where a proxy usually runs, or with `trustProxy`.
 */
export function createBaseAddress({ trustProxy = false }: { trustProxy?: boolean | undefined }): BaseAddress {
  return (c) => {
    const bindings: NodeEnv | undefined = c.env;
    const peer = bindings?.incoming?.socket?.remoteAddress;
    const trusted = trustProxy || (peer !== undefined && isLoopbackHost(peer));
    const forwarded = (name: string): string | undefined =>
      trusted ? c.req.header(name)?.split(',')[0]?.trim() : undefined;
    const own = c.req.url.startsWith('https:') ? 'https' : 'http';
    const scheme = forwarded('X-Forwarded-Proto')?.toLowerCase();
    const host = forwarded('X-Forwarded-Host');
    return `${scheme === 'http' || scheme === 'https' ? scheme : own}://${host && HOST.test(host) ? host : hostOf(c)}`;
  };
}

/** A host with an optional port. Other characters could change the meaning of a URL. */
export const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function hostOf(c: Context): string {
  const [, , host = 'localhost'] = c.req.url.split('/', 3);
  return host;
}
