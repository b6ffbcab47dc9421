import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { AppError, type ErrorCode } from '#contract/errors.ts';

/** Why a request must not reach an app, and the status of the response. */
interface HeadProblem {
  readonly status: number;
  readonly error: AppError;
}

/** Returns undefined for a valid request, whose target then is a path: a host in the target replaces that of the header. */
export type HeadCheck = (incoming: IncomingMessage | Http2ServerRequest) => HeadProblem | undefined;

/**
 * Checks the parts of a request head that Node's parser accepts although RFC 9112 (HTTP/1.1) or RFC 9113 (HTTP/2) does not allow
 * them. A proxy in front of the server could read such a request differently, for example its host or the end of its body.
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
    if (httpVersionMinor === 0) return problem(400, 'HTTP/1.0 has no `Transfer-Encoding`.');
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
  // The whole server is the target of `OPTIONS *`; nothing here depends on that.
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

/** The header must be ignored if the target has a host: all later checks see the same one. */
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

/** A host and an optional port. A comma is allowed in names, but only headers that a proxy has joined contain one. */
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
