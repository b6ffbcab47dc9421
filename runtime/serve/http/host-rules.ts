import { isIP } from 'node:net';
import { bindHost } from '../hostname.ts';

export interface HostRules {
  /** The address that the server listens on. */
  readonly hostname: string;
  /** Host names that the server accepts in addition to loopback names. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Allowed origins of web pages, for example `https://app.example`; `*` allows all. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** The parts of a request that are checked. */
export interface RequestHead {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/**
 * Rejects requests that a foreign web page could make a browser send (DNS rebinding). Returns the reason, or undefined:
 * - the Host header must be a loopback name or an allowed host; any host is accepted if none are configured and the server
 * listens on more than loopback;
 * - an Origin header, which browsers send, must be allowed or match the host, and that host must be a loopback name, an IP
 * address or an allowed host, because the owner of any other name could point it here.
 */
export function createHostCheck(rules: HostRules): (request: RequestHead) => string | undefined {
  const { allowedHosts, allowedOrigins = [] } = rules;
  const hosts = new Set((allowedHosts ?? []).map((host) => parseHost(host)?.hostname ?? host));
  const anyHost = (allowedHosts ?? []).length === 0 && !isLoopbackHost(rules.hostname);
  const origins = new Set(allowedOrigins.map((origin) => URL.parse(origin)?.origin ?? origin));

  // Most requests have the same host as the previous one.
  let last: { readonly given: string; readonly host: string | undefined } | undefined;
  const hostIn = (given: string): string | undefined => {
    if (last?.given !== given) last = { given, host: parseHost(given)?.hostname };
    return last.host;
  };

  return (request) => {
    const given = request.headers.get('host') ?? new URL(request.url).host;
    const host = hostIn(given);
    if (host === undefined) return `Invalid Host header ${JSON.stringify(given)}.`;
    const known = isLoopback(host) || hosts.has(host);
    if (!known && !anyHost) {
      return `Host ${JSON.stringify(given)} is not allowed. Use localhost, or add it to the allowed hosts.`;
    }
    const origin = request.headers.get('origin');
    if (origin === null || origins.has('*') || origins.has(origin)) return undefined;
    const from = URL.parse(origin)?.hostname;
    const same = from !== undefined && (from === host || (isLoopback(from) && isLoopback(host)));
    if (same && (known || isAddress(host))) return undefined;
    return `Origin ${JSON.stringify(origin)} is not allowed. Add it to the allowed origins.`;
  };
}

/** Whether an address or name, as users or sockets write it, is a loopback address. */
export const isLoopbackHost = (hostname: string): boolean => isLoopback(urlHost(hostname));

/** Whether a server that listens on this address listens on all addresses of the machine, so that it names none of them. */
export const isUnspecifiedHost = (hostname: string): boolean =>
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
