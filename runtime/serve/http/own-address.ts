import { bindHost, formatAddress } from '../hostname.ts';
import { createKnownHosts, type HostRules } from './host-rules.ts';

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

/** The base URL of the end of a connection on this machine. */
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
