import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { isIP } from 'node:net';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { bindHost } from '../bind.ts';

/** The reason why a request must not be passed to an app, and the response status. */
interface HeadProblem {
  readonly status: number;
  readonly error: AppError;
}

/**
 * Checks a request; returns undefined if it is valid. Its target is then always a path. If the
 * target contained a host, that host has replaced the Host header.
 */
export type HeadCheck = (incoming: IncomingMessage | Http2ServerRequest) => HeadProblem | undefined;

/**
 * Checks the parts of a request head that Node's parser accepts although RFC 9112 (HTTP/1.1) or RFC
 * 9113 (HTTP/2) does not allow them. A proxy in front of the server could interpret such a request
 * differently, for example its host or the end of its body.
 */
export function createHeadCheck(): HeadCheck {
  // Most requests have the same host as the previous one.
  let lastHost: string | undefined;
  const isHostValid = (host: string): boolean => {
    if (host === lastHost) return true;
    if (!isAuthority(host)) return false;
    lastHost = host;
    return true;
  };
  return (incoming) =>
    'stream' in incoming ? problemOfHttp2(incoming, isHostValid) : problemOfHttp1(incoming, isHostValid);
}

type IsHostValid = (host: string) => boolean;

function problemOfHttp1(incoming: IncomingMessage, isHostValid: IsHostValid): HeadProblem | undefined {
  const { httpVersionMajor, httpVersionMinor, method, headers, rawHeaders } = incoming;
  if (httpVersionMajor !== 1) return problem(505, `HTTP version ${incoming.httpVersion} is not supported.`);
  if (method === 'TRACE') return problem(405, 'Method not allowed: TRACE.', 'MethodError');
  const hosts = countHosts(rawHeaders);
  if (hosts > 1) return problem(400, 'the header `Host` was sent more than once. Send it once.');
  if (hosts === 0 && httpVersionMinor > 0) return problem(400, 'the header `Host` is missing.');
  const { host } = headers;
  if (host !== undefined && !isHostValid(host)) return invalidHost(host);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (httpVersionMinor === 0) return problem(400, 'HTTP/1.0 does not support `Transfer-Encoding`.');
    if (coding.toLowerCase() !== 'chunked') {
      const message = `the transfer coding ${shown(coding)} is not supported. The only supported value is chunked.`;
      return problem(501, message, 'NotImplementedError');
    }
  }
  return problemOfTarget(incoming);
}

function problemOfTarget(incoming: IncomingMessage): HeadProblem | undefined {
  const { url = '' } = incoming;
  if (url.includes('#')) return problem(400, `the target ${shown(url)} has a fragment. Encode # as %23.`);
  // `OPTIONS *` refers to the server as a whole, so there is no path to check.
  if (url.startsWith('/')) return undefined;
  if (url === '*' && incoming.method === 'OPTIONS') {
    incoming.url = '/';
    return undefined;
  }
  const [, authority, path = ''] = ABSOLUTE_TARGET.exec(url) ?? [];
  if (authority === undefined || !isAuthority(authority))
    return problem(400, `invalid target ${shown(url)}. Send a path.`);
  incoming.url = path.startsWith('/') ? path : `/${path}`;
  replaceHost(incoming, authority);
  return undefined;
}

/** The form in which clients send targets to proxies: RFC 9112, section 3.2.2. */
const ABSOLUTE_TARGET = /^https?:\/\/([^/?]*)([/?].*)?$/i;

/**
 * If the target contains a host, the Host header must be ignored. The header is replaced, so that
 * all later checks use the same host.
 */
function replaceHost({ headers, rawHeaders }: IncomingMessage, authority: string): void {
  headers.host = authority;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (isHost(rawHeaders[at])) rawHeaders[at + 1] = authority;
  }
}

function problemOfHttp2(
  { headers, authority }: Http2ServerRequest,
  isHostValid: IsHostValid,
): HeadProblem | undefined {
  const { host } = headers;
  if (host === undefined && authority === '') return problem(400, 'the header `Host` is missing.');
  const named = authority || (host ?? '');
  if (!isHostValid(named)) return invalidHost(named);
  if (authority !== '' && host !== undefined && host.toLowerCase() !== authority.toLowerCase()) {
    return problem(400, `\`Host\` is ${shown(host)}, but \`:authority\` is ${shown(authority)}.`);
  }
  return undefined;
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) hosts += 1;
  return hosts;
}

const isHost = (name: string | undefined): boolean => name?.length === 4 && name.toLowerCase() === 'host';

/**
 * A host and an optional port. Names could contain commas, but in practice, only headers that a
 * proxy has joined do.
 */
function isAuthority(value: string): boolean {
  const [, port] = AUTHORITY.exec(value) ?? [];
  return port !== undefined && Number(port.slice(1)) <= 65_535;
}

const AUTHORITY = /^(?:[\w.~!$&'()*+;=-]+|\[[\da-f:.]+\])(|:\d{1,5})$/i;

const invalidHost = (host: string): HeadProblem => problem(400, `invalid \`Host\` header ${shown(host)}.`);

const shown = (value: string): string => JSON.stringify(value.slice(0, 100));

const problem = (status: number, message: string, code: ErrorCode = 'MalformedError'): HeadProblem => ({
  status,
  error: new AppError(code, status === 400 ? `Bad request: ${message}` : capitalized(message)),
});

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export interface HostRules {
  /** The address that the server listens on. */
  readonly hostname: string;
  /** Host names that the server accepts in addition to loopback names. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Allowed origins of web pages, for example `https://app.example`; `*` allows all. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Returns whether other names are accepted, too. This is safe if a web page whose owner points a
   * name at this server still cannot use the server, because the page does not know the key or
   * because browsers reject the certificate. Default: other names are rejected.
   */
  readonly anyName?: (() => boolean) | undefined;
}

/** The parts of a request that are checked. */
interface RequestHead {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/**
 * Rejects requests that a foreign web page could make a browser send (DNS rebinding). Returns the
 * reason, or undefined:
 * - the Host header must be an IP address, a loopback name, an allowed host or the name that the
 *   server listens on, because the owner of any other name could point it here; `anyName` lifts
 *   this rule;
 * - an Origin header, which browsers send, must be allowed or match that host and port.
 */
export function createHostCheck(rules: HostRules): (request: RequestHead) => string | undefined {
  const { allowedHosts = [], allowedOrigins = [], hostname, anyName = () => false } = rules;
  const isKnown = createKnownHosts([...allowedHosts, hostname]);
  const origins = new Set(allowedOrigins.map((origin) => URL.parse(origin)?.origin ?? origin));

  interface Parsed {
    readonly given: string;
    readonly authority: string;
    /** Whether the host cannot be a name that an attacker has pointed at this server. */
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

/**
 * Creates a function that returns whether a host, without its port, is a loopback name or one of
 * these names.
 */
export function createKnownHosts(names: readonly string[]): (hostname: string) => boolean {
  const known = new Set(names.map(urlHost).filter((name) => !isUnspecifiedHost(name)));
  return (hostname) => isLoopback(hostname) || known.has(hostname);
}

/**
 * Formats host and port so that `Host` and `Origin` can be compared. Default ports are omitted,
 * because a proxy that terminates TLS changes the scheme.
 */
const authorityOf = ({ hostname, port }: URL): string =>
  port === '' || port === '80' || port === '443' ? hostname : `${hostname}:${port}`;

/** Whether an address or name, in the notation of users or sockets, is a loopback address. */
export const isLoopbackHost = (hostname: string): boolean => isLoopback(urlHost(hostname));

/**
 * Whether this is a wildcard address: a server that listens on it listens on all addresses of the
 * machine.
 */
const isUnspecifiedHost = (hostname: string): boolean =>
  /^(|0\.0\.0\.0|\[::\]|\[::ffff:0:0\])$/.test(urlHost(hostname));

const parseHost = (host: string): URL | null => (/[/?#@\\]/.test(host) ? null : URL.parse(`http://${host}`));

/** Normalizes a host as in URLs, with IPv6 addresses in brackets and a single spelling for each address. */
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

/**
 * Encodes the percent signs of the segments `%2e` and `%2e%2e`. URL parsers treat these segments
 * like `.` and `..`, so the request would reach a different route than the one in its path, which a
 * proxy may have checked.
 */
export function keepDotSegments(url: string): string {
  if (!/%2e/i.test(url)) return url;
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  const kept = path.replaceAll(/(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi, (segment) =>
    segment.replaceAll('%', '%25'),
  );
  return kept + url.slice(path.length);
}

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Matches IDs that are short enough, and safe to log and to return. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's request ID if it is safe, otherwise a new ID. */
export const requestIdFrom = (given: unknown): string =>
  typeof given === 'string' && SAFE_ID.test(given) ? given : randomUUID();
