import { Agent, type Dispatcher } from 'undici';
import { messageOf } from '#contract/errors.ts';
import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import { ConnectionClosed } from '../connection.ts';
import { guardedConnect } from '#serve/client/guarded-connect.ts';
import { parseBearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { AccessToken, AccessTokens, TokenRejection } from './access-tokens.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

interface RemoteRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** The URL, if it differs from the server's. */
  readonly url?: URL | undefined;
}

export interface RemoteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Dispatcher.ResponseData['body'];
}

/** HTTP client for one server, with its headers, tokens and pooled connections. Follows redirects within the origin. */
export interface RemoteClient {
  readonly url: URL;
  /** The URL for messages, without the query, which can contain secrets. */
  readonly place: string;
  request(request: RemoteRequest): Promise<RemoteResponse>;
  destroy(): Promise<void>;
}

/** The server cannot be reached, so further requests are likely to fail as well. */
export class Unreachable extends ConnectionClosed {}

const MAX_REDIRECTS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
/** Error codes for a connection that the server closed during a request. */
const CONNECTION_LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_ABORTED']);

export function createRemoteClient(
  launch: RemoteLaunch,
  timeouts: ServerTimeouts,
  tokens: AccessTokens | undefined,
): RemoteClient {
  // The configuration names the server, which can therefore be on this network.
  const connect = guardedConnect({
    allowsPrivate: true,
    timeoutMs: Math.min(timeouts.init, CONNECT_TIMEOUT_MS),
  });
  // Callers set a timeout for each request.
  const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  let serverUrl = new URL(launch.url);
  const place = `${serverUrl.origin}${serverUrl.pathname}`;

  const send = async (
    url: URL,
    request: RemoteRequest,
    token: AccessToken | undefined,
  ): Promise<RemoteResponse> => {
    const { method, headers, body, signal } = request;
    const authorization = token && (await authorizationOf(token, method, url));
    try {
      const {
        statusCode,
        headers: responseHeaders,
        body: responseBody,
      } = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers: { ...launch.headers, ...authorization, ...headers },
        body: body ?? null,
        signal,
      });
      token?.key?.learn(url.href, responseHeaders);
      return { status: statusCode, headers: responseHeaders, body: responseBody };
    } catch (error) {
      throw signal.aborted ? error : networkFailure(place, error);
    }
  };

  const follow = async (request: RemoteRequest, token: AccessToken | undefined): Promise<RemoteResponse> => {
    let url = request.url ?? serverUrl;
    for (let redirects = 0; ; redirects += 1) {
      const response = await send(url, request, token);
      const target = redirectIn(response, url);
      if (!target) return response;
      await response.body.dump();
      if (target.origin !== url.origin || redirects === MAX_REDIRECTS) {
        const where = `${target.origin}${target.pathname}`;
        throw new UnexpectedResponse(response.status, `${place} redirects to ${where}. Configure that URL.`);
      }
      url = target;
      if (!request.url) serverUrl = target;
    }
  };

  return {
    place,
    get url() {
      return serverUrl;
    },
    async request(request) {
      const token = await tokens?.current();
      const response = await follow(request, token);
      const refusal = tokens && refusalIn(response, token?.value);
      if (!refusal) return response;
      if (token?.key && refusal.challenge?.error === 'use_dpop_nonce') {
        await response.body.dump();
        return follow(request, token);
      }
      const other = await tokens.renew(refusal);
      if (other === undefined) return response;
      await response.body.dump();
      return follow(request, other);
    },
    destroy: () => agent.destroy(),
  };
}

async function authorizationOf(
  { value, key }: AccessToken,
  method: string,
  { href }: URL,
): Promise<Record<string, string>> {
  if (!key) return { authorization: `Bearer ${value}` };
  return { authorization: `DPoP ${value}`, dpop: await key.proof({ method, url: href, token: value }) };
}

/** Whether a response rejects the token, or requires one; undefined for all other responses. */
function refusalIn(
  { status, headers }: RemoteResponse,
  token: string | undefined,
): TokenRejection | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const challenge = parseBearerChallenge(headers['www-authenticate']);
  // Some servers send the scopes without the error.
  const lacksScope = challenge?.error === undefined && challenge?.scope !== undefined;
  const isRefusal = status === 401 || lacksScope || challenge?.error === 'insufficient_scope';
  return isRefusal ? { token, status, challenge } : undefined;
}

/** Returns a redirect's target. 301 to 303 are not followed, because they would turn a POST into a GET. */
function redirectIn({ status, headers }: RemoteResponse, from: URL): URL | undefined {
  const { location } = headers;
  if ((status !== 307 && status !== 308) || typeof location !== 'string') return undefined;
  return URL.parse(location, from) ?? undefined;
}

function networkFailure(place: string, error: unknown): ConnectionClosed {
  const { code } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (code !== undefined && CONNECTION_LOST.has(code)) {
    return new ConnectionClosed(`${place} closed the connection before it responded.`, options);
  }
  return new Unreachable(`Cannot connect to ${place}: ${messageOf(error) || code}.`, options);
}
