import { isIP } from 'node:net';
import { bindHost } from '../hostname.ts';

export interface HostRules {
  /** The address that the server listens on. */
  readonly hostname: string;
  /** Host names that the server accepts in addition to loopback names. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Allowed origins of web pages, for example `https://app.example`; `*` allows all. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Returns whether other names are accepted, too. They can be if a web page that points one here cannot use the server: it does
   * not know the key, or browsers refuse the certificate. Default: no.
   */
  readonly anyName?: (() => boolean) | undefined;
}

/** The parts of a request that are checked. */
export interface RequestHead {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/**
 * Rejects requests that a foreign web page could make a browser send (DNS rebinding). Returns the reason, or undefined:
 * - the Host header must be an IP address, a loopback name, an allowed host or the name that the server listens on, because the
 * owner of any other name could point it here; `anyName` lifts that;
 * - an Origin header, which browsers send, must be allowed, or have that host and the same port.
 */
export function createHostCheck(rules: HostRules): (request: RequestHead) => string | undefined {
  const { allowedHosts = [], allowedOrigins = [], hostname, anyName = () => false } = rules;
  const isKnown = createKnownHosts([...allowedHosts, hostname]);
  const origins = new Set(allowedOrigins.map((origin) => URL.parse(origin)?.origin ?? origin));

  interface Parsed {
    readonly given: string;
    readonly authority: string;
    /** Whether the host cannot be the name of an attacker that points here. */
    readonly isOurs: boolean;
  }
  // Most requests have the same host as the previous one.
  let last: Parsed | undefined;
  const parsed = (given: string): Parsed | undefined => {
    if (last?.given === given) return last;
    const url = parseHost(given);
    if (!url) return undefined;
    const isOurs = isKnown(url.hostname) || isAddress(url.hostname);
    return (last = { given, authority: authorityOf(url), isOurs });
  };

  return (request) => {
    const given = request.headers.get('host') ?? new URL(request.url).host;
    const host = parsed(given);
    if (host === undefined) return `Invalid Host header ${JSON.stringify(given)}.`;
    if (!host.isOurs && !anyName()) {
      return `Host ${JSON.stringify(given)} is not allowed. Use an IP address or localhost, or allow the name with --allowed-hosts.`;
    }
    const origin = request.headers.get('origin');
    if (origin === null || origins.has('*') || origins.has(origin)) return undefined;
    const from = URL.parse(origin);
    if (from !== null && authorityOf(from) === host.authority) return undefined;
    return `Origin ${JSON.stringify(origin)} is not allowed. Allow it with --cors-origins.`;
  };
}

/** Creates the function that returns whether a host, without its port, is a loopback name or one of these names. */
export function createKnownHosts(names: readonly string[]): (hostname: string) => boolean {
  const known = new Set(names.map(urlHost).filter((name) => !isUnspecifiedHost(name)));
  return (hostname) => isLoopback(hostname) || known.has(hostname);
}

/** Host and port as `Host` and `Origin` both have them, without the default ports: a proxy with TLS changes the scheme. */
const authorityOf = ({ hostname, port }: URL): string =>
  port === '' || port === '80' || port === '443' ? hostname : `${hostname}:${port}`;

/** Whether an address or name, as users or sockets write it, is a loopback address. */
export const isLoopbackHost = (hostname: string): boolean => isLoopback(urlHost(hostname));

/** Whether a server that listens on this address listens on all addresses of the machine, so that it names none of them. */
const isUnspecifiedHost = (hostname: string): boolean =>
  /^(|0\.0\.0\.0|\[::\]|\[::ffff:0:0\])$/.test(urlHost(hostname));

const parseHost = (host: string): URL | null => (/[/?#@\\]/.test(host) ? null : URL.parse(`http://${host}`));

/** Normalizes a host as in URLs: IPv6 addresses in brackets, and one spelling per address. */
function urlHost(hostname: string): string {
  const host = bindHost(hostname);
  return parseHost(isIP(host) === 6 ? `[${host}]` : host)?.hostname ?? host;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])\.?$/i.test(
    hostname,
  );
}

const isAddress = (hostname: string): boolean => isIP(bindHost(hostname)) !== 0;
