import { isIP } from 'node:net';
import { bindHost } from '../hostname.ts';

export interface HostRules {
  /** The address the server listens on. */
  readonly hostname: string;
  /** Names the server may be called by, besides loopback ones. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Where web pages that may call the server come from, as `https://app.example`; `*` is anywhere. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** What of a request is looked at. */
export interface RequestHead {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/**
 * Refuses what a web page somewhere else could make a browser send here (DNS rebinding). Returns why, or nothing:
 * - the Host header must be a loopback name or an allowed host; any host will do if none are named and the server listens
 *   on more than loopback;
 * - an Origin header, which browsers send, must be allowed or name the same host, and that host must be a loopback name, an
 *   IP address or an allowed host: any other name could have been made to point here by its owner.
 */
export function createHostCheck(rules: HostRules): (request: RequestHead) => string | undefined {
  const { allowedHosts, allowedOrigins = [] } = rules;
  const hosts = new Set((allowedHosts ?? []).map((host) => parseHost(host)?.hostname ?? host));
  const anyHost = (allowedHosts ?? []).length === 0 && !isLoopbackHost(rules.hostname);
  const origins = new Set(allowedOrigins.map((origin) => URL.parse(origin)?.origin ?? origin));

  // Most requests name the host that the one before them named.
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

/** Whether an address or name, as users or sockets write it, is this machine's own. */
export const isLoopbackHost = (hostname: string): boolean => isLoopback(urlHost(hostname));

const parseHost = (host: string): URL | null => (/[/?#@\\]/.test(host) ? null : URL.parse(`http://${host}`));

/** As it stands in a URL: an IPv6 address in brackets, and every spelling of an address as one. */
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
