import { bindHost, formatAddress } from '../bind.ts';
import { createKnownHosts, type HostRules } from './request-head.ts';
import type { Context } from 'hono';

export interface OwnAddressOptions {
  /** The URL of the server in the configuration. */
  readonly publicUrl?: string | undefined;
  /** Whether a proxy in front of the server sets `X-Forwarded-Host` and `X-Forwarded-Proto`. */
  readonly trustProxy?: boolean | undefined;
  readonly hostRules: Pick<HostRules, 'hostname' | 'allowedHosts'>;
}

/** The parts of a request that contain the address at which it reached the server. */
export interface AddressedRequest {
  readonly scheme: 'http' | 'https';
  readonly headers: { get(name: string): string | null };
  /** The end of the connection on this machine, which the client cannot choose. */
  readonly socket?:
    | { readonly localAddress?: string | undefined; readonly localPort?: number | undefined }
    | undefined;
}

/** A host with an optional port. Other characters could change the meaning of a URL. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Creates the function that returns the base URL of this server as a client may use it, for example `https://tools.example`, or
 * undefined if nothing but the request names it. Clients choose the `Host` header, and may act for another person, whose browser
 * or key the URL then leads away. So a host only counts if it is a loopback name, if the configuration names it, or if it is the
 * address at which the connection arrived. The configured URL goes before all. Forwarded headers only count with `trustProxy`:
 * a proxy of this machine may pass on those of a client.
 */
export function createOwnAddress({
  publicUrl,
  trustProxy = false,
  hostRules: { hostname, allowedHosts = [] },
}: OwnAddressOptions): (request: AddressedRequest) => string | undefined {
  if (publicUrl !== undefined) {
    const base = publicUrl.replace(/\/$/, '');
    return () => base;
  }
  const isKnown = createKnownHosts([...allowedHosts, hostname]);

  return ({ scheme, headers, socket }) => {
    const forwarded = (name: string): string | undefined =>
      trustProxy ? headers.get(name)?.split(',')[0]?.trim() : undefined;
    const proto = forwarded('x-forwarded-proto')?.toLowerCase();
    const used = proto === 'http' || proto === 'https' ? proto : scheme;
    const proxy = forwarded('x-forwarded-host');
    if (proxy !== undefined && HOST.test(proxy)) return `${used}://${proxy}`;
    const host = headers.get('host');
    if (host === null || !HOST.test(host)) return undefined;
    const url = `${used}://${host}`;
    const name = URL.parse(url)?.hostname;
    return name !== undefined && (isKnown(name) || isLocalEnd(host, socket)) ? url : undefined;
  };
}

/** The base URL of the end of a connection on this machine. @internal */
export function socketAddress({ scheme, socket }: AddressedRequest): string | undefined {
  const { localAddress, localPort } = socket ?? {};
  if (localAddress === undefined || localPort === undefined) return undefined;
  return `${scheme}://${formatAddress(plainAddress(localAddress), localPort)}`;
}

function isLocalEnd(host: string, socket: AddressedRequest['socket']): boolean {
  const local = socket?.localAddress;
  return local !== undefined && bindHost(host.replace(/:\d+$/, '')) === plainAddress(local);
}

/** An IPv4 address of a socket that listens on IPv6, too, without its prefix. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '');

/** The environment that `@hono/node-server` passes with a request. */
interface NodeEnv {
  readonly incoming?: { readonly socket?: AddressedRequest['socket'] };
}

/** Returns a base URL of the server, for example `https://tools.example:8443`. */
export type BaseAddress = (c: Context) => string;

interface BaseAddresses {
  /** For links. If nothing but the request names its host, the address at which the connection arrived. */
  readonly link: BaseAddress;
  /** For what must not leave this server, as the code of a sign-in; undefined if nothing but the request names its host. */
  readonly known: (c: Context) => string | undefined;
}

/** Creates the functions that return the base URL of the server for a request. */
export function createBaseAddresses(options: OwnAddressOptions): BaseAddresses {
  const ownAddress = createOwnAddress(options);
  const known = (c: Context): string | undefined => ownAddress(requestOf(c));
  return { known, link: (c) => known(c) ?? socketAddress(requestOf(c)) ?? 'http://localhost' };
}

function requestOf(c: Context): AddressedRequest {
  const bindings: NodeEnv | undefined = c.env;
  const [scheme, , host = 'localhost'] = c.req.url.split('/', 3);
  return {
    scheme: scheme === 'https:' ? 'https' : 'http',
    headers: { get: (name) => c.req.header(name) ?? (name === 'host' ? host : null) },
    socket: bindings?.incoming?.socket,
  };
}
