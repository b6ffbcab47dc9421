import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { getRequestListener, RequestError } from '@hono/node-server';
import { AppError } from '../../contract/errors.ts';
import { bind } from '../bind.ts';
import { HTTP_STATUS } from '../errors/http-status.ts';
import { trackSockets } from '../open-sockets.ts';
import { trackAnswers } from '../running-answers.ts';
import { continueWhenRead } from './continue-when-read.ts';
import type { DirectFailure, FailureBinding } from './direct-failure.ts';
import type { DirectListener } from './direct-route.ts';
import { REQUEST_ID_HEADER, requestIdFrom } from '../request-id.ts';
import type { TlsFiles } from '../tls.ts';
import { answerRefused, answerUnheard, MAX_HEADER_BYTES, type Refuse } from './unheard-requests.ts';

export interface ListenOptions {
  readonly app: { fetch(request: Request, env: object): Response | Promise<Response> };
  /** As users write it: `0.0.0.0`, `[::]`, `localhost`. */
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The flag that sets the port, to name it when the port is in use. */
  readonly portFlag: string;
  /** With them the server speaks HTTPS only. */
  readonly tls?: TlsFiles | undefined;
  readonly timeouts?: Partial<HttpTimeouts> | undefined;
  /** What is answered without the app. */
  readonly direct?: DirectListener | undefined;
  /** How to answer what reaches no app, where not as plain text. */
  readonly refuse?: Refuse | undefined;
}

/** In milliseconds. */
interface HttpTimeouts {
  /** For all headers of a request. */
  readonly headers: number;
  /** For a whole request, its body included. */
  readonly request: number;
  /** For the next request on a connection. Longer than the minute after which proxies give up on idle connections. */
  readonly keepAlive: number;
}

const TIMEOUTS: HttpTimeouts = { headers: 20_000, request: 120_000, keepAlive: 65_000 };

export interface HttpListener {
  /** The port it really listens on. */
  readonly port: number;
  /** Takes no more connections and lets running requests end; those that take longer than `graceMs` are cut off. */
  close(graceMs: number): Promise<void>;
}

/** Serves the app. Rejects with a ConfigError that says why it cannot listen and what to do about it. */
export async function listenHttp(options: ListenOptions): Promise<HttpListener> {
  const { app } = options;
  const server = createServer(options);
  const [sockets, answers] = [trackSockets(server), trackAnswers(server)];
  const { direct, refuse = plainText } = options;
  answerUnheard(server, refuse, answers);
  continueWhenRead(server);
  const errorHandler = (error: unknown): Response => refused(error, refuse);
  const listenerWith = (binding: FailureBinding) =>
    getRequestListener((request, env) => app.fetch(request, Object.assign(env, binding)), {
      hostname: 'localhost',
      errorHandler,
    });
  const listener = listenerWith({});
  server.on('request', (incoming, outgoing) => {
    if (hasNoHost(incoming)) {
      const error = new AppError('MalformedError', 'Bad request: the header `Host` is missing.');
      void answerRefused(outgoing, refuse(error, HTTP_STATUS[error.code]));
      return;
    }
    const fail = (failure: DirectFailure): void => void listenerWith({ failure })(incoming, outgoing);
    if (!direct?.(incoming, outgoing, fail)) void listener(incoming, outgoing);
  });
  const port = await bind(server, options);
  return {
    port,
    async close(graceMs) {
      answers.endConnections();
      await sockets.close(graceMs);
      // This ends what else Node runs for the server.
      server.close();
    },
  };
}

function createServer({ tls, timeouts = {} }: ListenOptions): Server {
  const { headers, request, keepAlive } = { ...TIMEOUTS, ...timeouts };
  const settings: ServerOptions = {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    // How often Node looks for connections that have exceeded one of these.
    connectionsCheckingInterval: Math.min(1000, headers, request),
    maxHeaderSize: MAX_HEADER_BYTES,
    // Told in our words.
    requireHostHeader: false,
    noDelay: true,
  };
  return tls
    ? createHttpsServer({ ...settings, ...tls, handshakeTimeout: headers })
    : createHttpServer(settings);
}

const hasNoHost = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.1' && headers.host === undefined;

/** What reaches no app: a request target or Host header that makes no URL. */
function refused(error: unknown, refuse: Refuse): Response {
  const known =
    error instanceof RequestError
      ? new AppError('MalformedError', `Bad request: ${error.message}`)
      : new AppError('InternalError', 'Internal error', { cause: error });
  const answer = refuse(known, HTTP_STATUS[known.code]);
  answer.headers.set(REQUEST_ID_HEADER, requestIdFrom(undefined));
  return answer;
}

const plainText = ({ message }: AppError, status: number): Response => new Response(message, { status });
