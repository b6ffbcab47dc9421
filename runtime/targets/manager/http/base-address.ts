import type { Context } from 'hono';
import { isLoopbackHost } from '../../../serve/http/host-rules.ts';

/** What `@hono/node-server` hands over beside the request. */
interface NodeEnv {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

/** Finds out under which address the client reached the server, as `https://tools.example:8443`. */
export type BaseAddress = (c: Context) => string;

/**
 * A proxy tells the address in `X-Forwarded-Proto` and `X-Forwarded-Host`. Anyone could send those, so they only count from
 * this machine, where the proxy usually runs, or if the server was told to trust whoever connects to it.
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

/** A name or address with a port, and nothing that would end up in a URL as something else. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function hostOf(c: Context): string {
  const [, , host = 'localhost'] = c.req.url.split('/', 3);
  return host;
}
