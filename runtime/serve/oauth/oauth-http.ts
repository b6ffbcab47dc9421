import { Agent, type Dispatcher } from 'undici';
import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';
import { guardedLookup, isAllowedAddress } from '#platform/guarded-lookup.ts';
import { OAuthFailure } from './oauth-failure.ts';

export interface OAuthHttpOptions {
  /**
   * Whether requests can be sent to this machine and its networks. Requests to instance metadata
   * services are never allowed.
   */
  readonly allowsPrivate: boolean;
  /** Whether requests can be sent without TLS. */
  readonly allowsHttp: boolean;
  readonly timeoutMs: number;
  /** What users can do if an address is private, as a sentence without the final period. */
  readonly remedy?: string | undefined;
}

export interface OAuthResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON value in the body; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** Sends requests to URLs that come from other servers: metadata, registration, token and key endpoints. */
export interface OAuthHttp {
  get(url: string): Promise<OAuthResponse>;
  postForm(
    url: string,
    form: URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<OAuthResponse>;
  postJson(url: string, value: unknown, headers?: Readonly<Record<string, string>>): Promise<OAuthResponse>;
  close(): Promise<void>;
}

/** Maximum response size. Metadata and key sets take a few kilobytes. */
const MAX_BYTES = 1024 * 1024;
/**
 * Metadata requests can be redirected within their origin. Other requests contain secrets, so
 * redirects are never followed.
 */
const MAX_REDIRECTS = 3;

/**
 * Creates a client that checks the address of each connection, so that another server cannot make
 * this program send requests to the network that the program runs in.
 */
export function createOAuthHttp({
  allowsPrivate,
  allowsHttp,
  timeoutMs,
  remedy,
}: OAuthHttpOptions): OAuthHttp {
  const refusal = (host: string, address: string): OAuthFailure => {
    const wayOut = addressKind(address) === 'private' && remedy !== undefined ? `. ${remedy}` : '';
    return new OAuthFailure(`${host} has the address ${address}, which is not public${wayOut}`);
  };
  const agent = new Agent({
    maxResponseSize: MAX_BYTES,
    connect: { lookup: guardedLookup({ allowsPrivate, refusal }), timeout: timeoutMs },
  });
  const checked = (text: string): URL => {
    const url = URL.parse(text);
    const isWeb = url?.protocol === 'https:' || (allowsHttp && url?.protocol === 'http:');
    if (!url || !isWeb || url.username !== '' || url.password !== '') {
      throw new OAuthFailure(
        `The URL ${shownUrl(text)} must start with ${allowsHttp ? 'http:// or ' : ''}https:// and must not contain credentials.`,
      );
    }
    const { hostname } = url;
    if (isIpAddress(hostname) && !isAllowedAddress(addressKind(hostname), allowsPrivate)) {
      throw refusal(hostname, hostname);
    }
    return url;
  };
  const send = async (
    url: URL,
    request: Pick<Dispatcher.RequestOptions, 'method' | 'body'> & { headers?: Record<string, string> },
  ): Promise<OAuthResponse> => {
    try {
      const { statusCode, headers, body } = await agent.request({
        ...request,
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        headers: { accept: 'application/json', ...request.headers },
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: statusCode, headers, body: jsonOf(await body.text()) };
    } catch (error) {
      if (error instanceof OAuthFailure) throw error;
      const reason = messageOf(error instanceof AggregateError ? error.errors[0] : error);
      throw new OAuthFailure(`Cannot connect to ${shownUrl(url.href)}: ${reason}`, { cause: error });
    }
  };
  return {
    async get(text) {
      let url = checked(text);
      for (let redirects = 0; ; redirects += 1) {
        const response = await send(url, { method: 'GET' });
        const { location } = response.headers;
        const isRedirect = response.status >= 300 && response.status < 400 && typeof location === 'string';
        const target = isRedirect ? URL.parse(location, url) : null;
        if (!target || target.origin !== url.origin || redirects === MAX_REDIRECTS) return response;
        url = target;
      }
    },
    postForm: async (url, form, headers = {}) =>
      await send(checked(url), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: form.toString(),
      }),
    postJson: async (url, value, headers = {}) =>
      await send(checked(url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(value),
      }),
    close: () => agent.destroy(),
  };
}

/** Returns a URL without its query, because the query can contain secrets. */
function shownUrl(text: string): string {
  const url = URL.parse(text);
  return url ? `${url.protocol}//${url.host}${url.pathname}` : JSON.stringify(text.slice(0, 100));
}

function jsonOf(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
