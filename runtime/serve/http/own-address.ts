import { bindHost, formatAddress } from '../bind.ts';
import { createKnownHosts, type HostRules } from './request-head.ts';
import type { Context } from 'hono';

export interface OwnAddressOptions {
  /** The configured URL of the server. */
  readonly publicUrl?: string | undefined;
  /** Whether a proxy in front of the server sets `X-Forwarded-Host` and `X-Forwarded-Proto`. */
  readonly trustProxy?: boolean | undefined;
  readonly hostRules: Pick<HostRules, 'hostname' | 'allowedHosts'>;
}

/** The parts of a request from which the address of the server can be determined. */
export interface AddressedRequest {
  readonly scheme: 'http' | 'https';
  readonly headers: { get(name: string): string | null };
  /** The local end of the connection. Clients cannot forge it. */
  readonly socket?:
    | { readonly localAddress?: string | undefined; readonly localPort?: number | undefined }
    | undefined;
}

/** A host with an optional port. Other characters could change the meaning of a URL. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Creates the function that returns the base URL at which a client can reach this server, for
 * example `https://tools.example`. The function returns undefined if the URL is only known from the
 * request. Clients can set any `Host` header, and an attacker could use this to redirect another
 * person's browser or API key to a different server. A host is therefore only trusted if it is a
 * loopback name, if the configuration contains it, or if it is the address at which the connection
 * arrived. The configured URL takes precedence. Forwarded headers are only trusted with
 * `trustProxy`, because a proxy on this machine may pass on headers that the client has set.
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

/** The base URL of the local end of a connection. @internal */
export function socketAddress({ scheme, socket }: AddressedRequest): string | undefined {
  const { localAddress, localPort } = socket ?? {};
  if (localAddress === undefined || localPort === undefined) return undefined;
  return `${scheme}://${formatAddress(plainAddress(localAddress), localPort)}`;
}

function isLocalEnd(host: string, socket: AddressedRequest['socket']): boolean {
  const local = socket?.localAddress;
  return local !== undefined && bindHost(host.replace(/:\d+$/, '')) === plainAddress(local);
}

/** The IPv4 address of a socket that also listens on IPv6, without its prefix. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '');

/** The environment that `@hono/node-server` passes to the app with a request. */
interface NodeEnv {
  readonly incoming?: { readonly socket?: AddressedRequest['socket'] };
}

/** Returns a base URL of the server, for example `https://tools.example:8443`. */
export type BaseAddress = (c: Context) => string;

interface BaseAddresses {
  /**
   * Returns the URL for links. If the host is only known from the request, the URL contains the
   * address at which the connection arrived.
   */
  readonly link: BaseAddress;
  /**
   * Returns the URL for requests with data that only this server must receive, such as the code of
   * a sign-in; undefined if the host is only known from the request.
   */
  readonly known: (c: Context) => string | undefined;
}

/** Creates the functions that return the server's base URL for a request. */
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
