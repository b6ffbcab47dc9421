import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { bind, type ListenTarget } from '../bind.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { TlsFiles } from '../tls.ts';
import type { AppListener, FetchApp } from './app-listener.ts';
import { compressLargeResponse } from './compress-responses.ts';
import { answerHalfClosed, continueWhenRead, LINGER_MS, trackAnswers, trackSockets } from './connections.ts';
import type { DirectFailure, DirectListener } from './exchange.ts';
import {
  answerRejected,
  answerInvalidRequest,
  MAX_HEADER_BYTES,
  plainTextRefusal,
  type Refuse,
} from './invalid-requests.ts';
import { createHeadCheck, type HeadCheck, keepDotSegments } from './request-head.ts';
import type { FailureBinding } from './request-state.ts';

export interface HttpOptions {
  readonly app: FetchApp;
  readonly timeouts?: Partial<HttpTimeouts> | undefined;
  /**
   * Reports that the server is about to stop. Responses then ask clients to use other connections.
   * By default, they do so when the server is closed.
   */
  readonly lifecycle?: Pick<Lifecycle, 'onStop'> | undefined;
  /** Handles requests without the app. */
  readonly direct?: DirectListener | undefined;
  /** Passes requests that are not handled directly to another server. Returns whether it has taken a request. */
  readonly passOn?: ((incoming: IncomingMessage, outgoing: ServerResponse) => boolean) | undefined;
  /** Takes over connections that switch to another protocol. */
  readonly upgrades?: Upgrades | undefined;
  /** Error format for requests that are not passed to the app. Default: plain text. */
  readonly refuse?: Refuse | undefined;
}

/**
 * The address as users write it, for example `0.0.0.0`, `[::]` or `localhost`, and a port. If the port is 0,
 * the system selects a free port.
 */
export interface ListenOptions extends HttpOptions, ListenTarget {
  /** Certificate and key; if set, the server only speaks HTTPS. */
  readonly tls?: TlsFiles | undefined;
}

/** Timeouts in milliseconds. */
interface HttpTimeouts {
  /** Timeout for receiving all headers of a request. */
  readonly headers: number;
  /** Timeout for receiving a whole request, including its body. */
  readonly request: number;
  /**
   * Timeout for the next request on a connection. It is longer than one minute, after which proxies
   * close idle connections.
   */
  readonly keepAlive: number;
}

/** Connections that switch to another protocol, such as WebSocket. */
export interface Upgrades {
  /**
   * Whether to accept a request to switch to another protocol. If it is not accepted, it is handled
   * like a request without an upgrade.
   */
  readonly accepts: (incoming: IncomingMessage) => boolean;
  /** Takes over the connection. `head` can contain the first bytes of the new protocol. */
  readonly take: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

const TIMEOUTS: HttpTimeouts = { headers: 20_000, request: 120_000, keepAlive: 65_000 };

interface HttpServer {
  /**
   * Stops accepting connections and lets requests finish, including requests that clients have
   * already sent. Requests that take longer than `graceMs` are cut off.
   */
  readonly close: (graceMs: number) => Promise<void>;
}

export interface HttpListener extends HttpServer {
  /** The port that the server actually listens on. */
  readonly port: number;
}

/** Serves the app. Rejects with a ConfigError that explains why it cannot listen and how to fix it. */
export async function listenHttp(options: ListenOptions): Promise<HttpListener> {
  const { server, close } = openServer(options);
  const port = await bind(server, options);
  return { port, close };
}

/** A server for connections that were accepted elsewhere. */
export interface ConnectedHttp extends HttpServer {
  readonly accept: (connection: Duplex) => void;
}

/** Serves the app without listening on a port. */
export function connectHttp(options: HttpOptions): ConnectedHttp {
  const { server, close } = openServer(options);
  return { accept: (connection) => void server.emit('connection', connection), close };
}

type ServerSettings = HttpOptions & Pick<ListenOptions, 'tls'>;

function openServer(options: ServerSettings): HttpServer & { readonly server: Server } {
  const { app } = options;
  const headProblem = createHeadCheck();
  const server = createServer(options, headProblem);
  const [sockets, answers] = [trackSockets(server), trackAnswers(server)];
  options.lifecycle?.onStop(answers.announceEnd);
  const { direct, passOn, refuse = plainTextRefusal } = options;
  answerInvalidRequest(server, refuse, answers.hasBegun);
  continueWhenRead(server);
  answerHalfClosed(server);
  const passToApp = appListener(app, refuse);
  let stopped: Promise<void> | undefined;
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (answers.isOver(incoming.socket)) return;
    const problem = headProblem(incoming);
    if (problem) {
      void answerRejected(outgoing, refuse(problem.error, problem.status));
      return;
    }
    if (incoming.url !== undefined) incoming.url = keepDotSegments(incoming.url);
    // Direct routes compress large responses themselves.
    const pass = (binding?: FailureBinding): void => {
      compressLargeResponse(incoming, outgoing);
      passToApp(incoming, outgoing, binding);
    };
    const fail = (failure: DirectFailure): void => pass({ failure });
    if (direct?.(incoming, outgoing, fail) || passOn?.(incoming, outgoing)) return;
    pass();
  };
  server.on('request', (incoming, outgoing) => {
    // If clients kept reconnecting after each response, connections would always be waiting to be
    // accepted, and the server could not stop listening.
    if (stopped) void stopped.then(() => answer(incoming, outgoing));
    else answer(incoming, outgoing);
  });
  const { upgrades } = options;
  if (upgrades) server.on('upgrade', upgrades.take);
  return {
    server,
    async close(graceMs) {
      const lingerMs = Math.min(LINGER_MS, graceMs);
      answers.announceEnd();
      stopped = sockets.stopListening(graceMs / 2);
      await stopped;
      answers.endConnections(lingerMs);
      await sockets.ended(graceMs);
      // Closes the server, which also stops Node's periodic check of connections.
      server.close();
    },
  };
}

function createServer({ tls, timeouts = {}, upgrades }: ServerSettings, headProblem: HeadCheck): Server {
  const { headers, request, keepAlive } = { ...TIMEOUTS, ...timeouts };
  const settings: ServerOptions = {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    // How often Node checks connections for these timeouts.
    connectionsCheckingInterval: Math.min(1000, headers, request),
    maxHeaderSize: MAX_HEADER_BYTES,
    // Disabled, because a missing Host header is reported in the server's own error format.
    requireHostHeader: false,
    noDelay: true,
    // An invalid upgrade request is handled like a request without an upgrade.
    ...(upgrades && {
      shouldUpgradeCallback: (incoming: IncomingMessage) =>
        !headProblem(incoming) && upgrades.accepts(incoming),
    }),
  };
  return tls
    ? createHttpsServer({ ...settings, ...tls, handshakeTimeout: headers })
    : createHttpServer(settings);
}

/**
 * Passes requests to the app. The code for it is loaded for the first of them, so that a server listens
 * earlier.
 */
function appListener(app: FetchApp, refuse: Refuse): AppListener {
  let listener: AppListener | undefined;
  const load = async (): Promise<AppListener> => {
    const { createAppListener } = await import('./app-listener.ts');
    return (listener ??= createAppListener(app, refuse));
  };
  return (...request) => {
    if (listener) listener(...request);
    else void load().then((loaded) => loaded(...request));
  };
}
