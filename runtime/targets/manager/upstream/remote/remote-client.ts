import { Agent, type Dispatcher } from 'undici';
import { messageOf } from '../../../../contract/errors.ts';
import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import { ConnectionClosed } from '../connection.ts';
import type { AccessTokens } from './access-tokens.ts';
import { UnusableAnswer } from './unusable-answer.ts';

interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** When it is not the address of the server itself. */
  readonly url?: URL | undefined;
}

export interface RemoteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Dispatcher.ResponseData['body'];
}

/** HTTP to one server: kept connections, its headers, its tokens, redirects within its origin. */
export interface RemoteClient {
  readonly url: URL;
  /** For sentences: without what may be secret in a query. */
  readonly place: string;
  request(request: RemoteRequest): Promise<RemoteAnswer>;
  destroy(): Promise<void>;
}

/** Nothing listens there, or nothing that we may talk to: no later request will fare better soon. */
export class Unreachable extends ConnectionClosed {}

const MOST_REDIRECTS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
/** The server was there and hung up on one exchange. */
const LOST_EXCHANGE = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_ABORTED']);

export function createRemoteClient(
  launch: RemoteLaunch,
  timeouts: ServerTimeouts,
  tokens: AccessTokens | undefined,
): RemoteClient {
  // How long an answer may take is the caller's to say, for each request.
  const connect = { timeout: Math.min(timeouts.init, CONNECT_TIMEOUT_MS) };
  const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  let home = new URL(launch.url);
  const place = `${home.origin}${home.pathname}`;

  const send = async (url: URL, request: RemoteRequest, token: string | undefined): Promise<RemoteAnswer> => {
    const { method, headers, body, signal } = request;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    try {
      const {
        statusCode,
        headers: answered,
        body: content,
      } = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers: { ...launch.headers, ...authorization, ...headers },
        body: body ?? null,
        signal,
      });
      return { status: statusCode, headers: answered, body: content };
    } catch (error) {
      throw signal.aborted ? error : networkFailure(place, error);
    }
  };

  const follow = async (request: RemoteRequest, token: string | undefined): Promise<RemoteAnswer> => {
    let url = request.url ?? home;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await send(url, request, token);
      const target = redirectIn(answer, url);
      if (!target) return answer;
      await answer.body.dump();
      if (target.origin !== url.origin || redirects === MOST_REDIRECTS) {
        const where = `${target.origin}${target.pathname}`;
        throw new UnusableAnswer(answer.status, `${place} redirects to ${where}. Configure that address.`);
      }
      url = target;
      if (!request.url) home = target;
    }
  };

  return {
    place,
    get url() {
      return home;
    },
    async request(request) {
      const token = await tokens?.current();
      const answer = await follow(request, token);
      if (answer.status !== 401 || !tokens || token === undefined) return answer;
      await answer.body.dump();
      return follow(request, await tokens.renew(token));
    },
    destroy: () => agent.destroy(),
  };
}

/** 301 to 303 would turn a POST into a GET, so they are no redirects for us. */
function redirectIn({ status, headers }: RemoteAnswer, from: URL): URL | undefined {
  const { location } = headers;
  if ((status !== 307 && status !== 308) || typeof location !== 'string') return undefined;
  return URL.parse(location, from) ?? undefined;
}

function networkFailure(place: string, error: unknown): ConnectionClosed {
  const { code } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (code !== undefined && LOST_EXCHANGE.has(code)) {
    return new ConnectionClosed(`${place} ended the connection before it answered.`, options);
  }
  return new Unreachable(`${place} cannot be reached: ${messageOf(error) || code}.`, options);
}
