import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { Socket, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as immediate } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import { getRequestListener, RequestError } from '@hono/node-server';
import { AppError } from '#contract/errors.ts';
import { afterPoll } from '#platform/wait-for.ts';
import { bind } from '../bind.ts';
import { HTTP_STATUS } from '../errors/http-status.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { TlsFiles } from '../tls.ts';
import { compressLargeResponse } from './compress-responses.ts';
import type { DirectFailure, DirectListener } from './exchange.ts';
import {
  answerRejected,
  answerInvalidRequest,
  MAX_HEADER_BYTES,
  plainTextRefusal,
  type Refuse,
} from './invalid-requests.ts';
import {
  createHeadCheck,
  type HeadCheck,
  keepDotSegments,
  REQUEST_ID_HEADER,
  requestIdFrom,
} from './request-head.ts';
import type { FailureBinding } from './request-state.ts';

export interface ListenOptions {
  readonly app: { fetch(request: Request, env: object): Response | Promise<Response> };
  /** The address as users write it: `0.0.0.0`, `[::]`, `localhost`. */
  readonly hostname: string;
  /** Port; 0 selects a free port. */
  readonly port: number;
  /** The flag that sets the port, for the message when the port is in use. */
  readonly portFlag: string;
  /** Certificate and key; if set, the server only speaks HTTPS. */
  readonly tls?: TlsFiles | undefined;
  readonly timeouts?: Partial<HttpTimeouts> | undefined;
  /** When the server stops: responses then ask clients to use other connections. Default: when it closes. */
  readonly lifecycle?: Pick<Lifecycle, 'onStop'> | undefined;
  /** Handles requests without the app. */
  readonly direct?: DirectListener | undefined;
  /** Takes connections with other protocols. */
  readonly upgrades?: Upgrades | undefined;
  /** Error format for requests that do not reach the app. Default: plain text. */
  readonly refuse?: Refuse | undefined;
}

/** Timeouts in milliseconds. */
interface HttpTimeouts {
  /** For receiving all headers of a request. */
  readonly headers: number;
  /** For receiving a whole request, including its body. */
  readonly request: number;
  /**
   * For the next request on a connection. Longer than one minute, after which proxies close idle
   * connections.
   */
  readonly keepAlive: number;
}

/** Connections that switch to another protocol, such as WebSocket. */
export interface Upgrades {
  /**
   * Whether to grant a request's upgrade to another protocol. Otherwise it is handled as if it had
   * not requested one.
   */
  readonly accepts: (incoming: IncomingMessage) => boolean;
  /** Takes over the connection; `head` can contain its first bytes. */
  readonly take: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

const TIMEOUTS: HttpTimeouts = { headers: 20_000, request: 120_000, keepAlive: 65_000 };

export interface HttpListener {
  /** The actual port. */
  readonly port: number;
  /**
   * Stops accepting connections and lets requests finish, including those that are on their way;
   * requests that take longer than `graceMs` are cut off.
   */
  close(graceMs: number): Promise<void>;
}

/** Serves the app. Rejects with a ConfigError that explains why it cannot listen and how to fix it. */
export async function listenHttp(options: ListenOptions): Promise<HttpListener> {
  const { app } = options;
  const headProblem = createHeadCheck();
  const server = createServer(options, headProblem);
  const [sockets, answers] = [trackSockets(server), trackAnswers(server)];
  options.lifecycle?.onStop(answers.announceEnd);
  const { direct, refuse = plainTextRefusal } = options;
  answerInvalidRequest(server, refuse, answers.hasBegun);
  continueWhenRead(server);
  answerHalfClosed(server);
  const errorHandler = (error: unknown): Response => refused(error, refuse);
  const listenerWith = (binding: FailureBinding) =>
    getRequestListener((request, env) => app.fetch(request, Object.assign(env, binding)), {
      hostname: 'localhost',
      errorHandler,
    });
  const listener = listenerWith({});
  let stopped: Promise<void> | undefined;
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (answers.isOver(incoming.socket)) return;
    const problem = headProblem(incoming);
    if (problem) {
      void answerRejected(outgoing, refuse(problem.error, problem.status));
      return;
    }
    if (incoming.url !== undefined) incoming.url = keepDotSegments(incoming.url);
    compressLargeResponse(incoming, outgoing);
    const fail = (failure: DirectFailure): void => void listenerWith({ failure })(incoming, outgoing);
    if (!direct?.(incoming, outgoing, fail)) void listener(incoming, outgoing);
  };
  server.on('request', (incoming, outgoing) => {
    // With clients that reconnect after each response, a connection would always be waiting, and
    // the server could not stop listening.
    if (stopped) void stopped.then(() => answer(incoming, outgoing));
    else answer(incoming, outgoing);
  });
  const { upgrades } = options;
  if (upgrades) server.on('upgrade', upgrades.take);
  const port = await bind(server, options);
  return {
    port,
    async close(graceMs) {
      const lingerMs = Math.min(LINGER_MS, graceMs);
      answers.announceEnd();
      stopped = sockets.stopListening(graceMs / 2);
      await stopped;
      answers.endConnections(lingerMs);
      await sockets.ended(graceMs);
      // Closes the server; Node's connection check also ends with it.
      server.close();
    },
  };
}

function createServer({ tls, timeouts = {}, upgrades }: ListenOptions, headProblem: HeadCheck): Server {
  const { headers, request, keepAlive } = { ...TIMEOUTS, ...timeouts };
  const settings: ServerOptions = {
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
    // How often Node checks connections for these timeouts.
    connectionsCheckingInterval: Math.min(1000, headers, request),
    maxHeaderSize: MAX_HEADER_BYTES,
    // A missing Host header is reported in our own error format.
    requireHostHeader: false,
    noDelay: true,
    // An invalid upgrade request is handled as if it had not requested one.
    ...(upgrades && {
      shouldUpgradeCallback: (incoming: IncomingMessage) =>
        !headProblem(incoming) && upgrades.accepts(incoming),
    }),
  };
  return tls
    ? createHttpsServer({ ...settings, ...tls, handshakeTimeout: headers })
    : createHttpServer(settings);
}

/** Rejects a request that does not reach the app: its target or Host header does not form a URL. */
function refused(error: unknown, refuse: Refuse): Response {
  const known =
    error instanceof RequestError
      ? new AppError('MalformedError', `Bad request: ${error.message}`)
      : new AppError('InternalError', 'Internal error', { cause: error });
  const answer = refuse(known, HTTP_STATUS[known.code]);
  answer.headers.set(REQUEST_ID_HEADER, requestIdFrom(undefined));
  return answer;
}

interface RunningAnswers {
  /**
   * From now on, responses announce the end of their connection, so that clients send their next
   * request on another one.
   */
  readonly announceEnd: () => void;
  /**
   * Ends each connection once it has no response running. Because another request can already be on
   * its way, idle connections stay open for `lingerMs`.
   */
  readonly endConnections: (lingerMs: number) => void;
  /** Whether the client has already received part of a response on this connection. */
  readonly hasBegun: (connection: Duplex) => boolean;
  /**
   * Whether a connection has been ended: a request that arrives later must not be processed,
   * because its response could not be sent.
   */
  readonly isOver: (connection: Duplex) => boolean;
}

/** Time in milliseconds for requests that are on their way when a server closes. */
export const LINGER_MS = 200;

/**
 * Time in milliseconds for clients to notice the end of a connection, before unread data makes the
 * system reset it.
 */
const LAST_READ_MS = 100;

/**
 * Tracks running responses by HTTP/1.1 connection. Node's `server.close()` only ends connections that are idle at that moment,
 * and leaves others open until their keep-alive timeout.
 */
export function trackAnswers(server: Server): RunningAnswers {
  const running = new Map<Socket, Set<ServerResponse>>();
  const over = new WeakSet<Duplex>();
  let announced = false;
  let lingerMs: number | undefined;
  const announce = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  const announceEnd = (): void => {
    announced = true;
    for (const responses of running.values()) responses.forEach(announce);
  };
  const end = (socket: Socket): void => {
    if (over.has(socket) || running.get(socket)?.size !== 0) return;
    over.add(socket);
    // The client must have read the last response to its end.
    socket.end();
    const cut = setTimeout(() => socket.destroy(), LAST_READ_MS);
    socket.once('close', () => clearTimeout(cut));
  };
  const linger = (socket: Socket): void => {
    if (lingerMs === undefined || running.get(socket)?.size !== 0) return;
    // A process that was not scheduled in time first reads what arrived in the meantime.
    const timer = setTimeout(() => void afterPoll().then(() => end(socket)), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new Set());
    socket.once('close', () => running.delete(socket));
    linger(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    running.get(socket)?.add(response);
    if (announced) announce(response);
    response.once('close', () => {
      running.get(socket)?.delete(response);
      linger(socket);
    });
  });
  return {
    announceEnd,
    hasBegun: (connection) =>
      connection instanceof Socket &&
      [...(running.get(connection) ?? [])].some(({ headersSent }) => headersSent),
    isOver: (connection) => over.has(connection),
    endConnections(patienceMs) {
      announceEnd();
      lingerMs = patienceMs;
      for (const socket of running.keys()) linger(socket);
    },
  };
}

/**
 * Node's setting to respond to clients that have closed their half of the connection; its type is
 * not declared.
 */
interface HalfOpenServer {
  httpAllowHalfOpen?: boolean;
}

/**
 * Responds to clients that close their half of the connection after the request, such as `nc -N`
 * and old HTTP/1.0 clients. A client that disconnects sends the same packet. A client that keeps
 * connections open for the next request has no reason to close its half, so for its requests the
 * packet means that it has disconnected, and their work is cancelled.
 */
export function answerHalfClosed(server: Server & HalfOpenServer): void {
  server.httpAllowHalfOpen = true;
  // One listener per connection, because a client can send many requests before it reads the first
  // response.
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>();
  const watch = (socket: Socket): Set<ServerResponse> => {
    const responses = new Set<ServerResponse>();
    unanswered.set(socket, responses);
    socket.once('end', () => {
      if (responses.size > 0) socket.destroy();
    });
    return responses;
  };
  server.on('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    if (!outgoing.shouldKeepAlive) return;
    if (socket.readableEnded) {
      socket.destroy();
      return;
    }
    const responses = unanswered.get(socket) ?? watch(socket);
    responses.add(outgoing);
    outgoing.once('close', () => responses.delete(outgoing));
  });
}

/**
 * Sends `100 Continue` when the body is first read. Node would send it before the caller is
 * authenticated.
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { shouldKeepAlive } = outgoing;
    const read = incoming._read.bind(incoming);
    // A client that gets the response instead may or may not send the body, so the next bytes on
    // the connection are ambiguous.
    outgoing.shouldKeepAlive = false;
    incoming._read = (size) => {
      incoming._read = read;
      if (!outgoing.headersSent) {
        outgoing.shouldKeepAlive = shouldKeepAlive;
        outgoing.writeContinue();
      }
      read(size);
    };
    server.emit('request', incoming, outgoing);
  });
}

interface OpenSockets {
  /**
   * Stops listening once no connection is waiting to be accepted, because the system resets waiting
   * ones. If there is always one, because very many clients connect, it stops after `patienceMs`.
   */
  readonly stopListening: (patienceMs: number) => Promise<void>;
  /**
   * Resolves when all connections have ended, after `stopListening`. Connections still open after
   * `graceMs` are cut off; `beforeCut` is called first.
   */
  readonly ended: (graceMs: number, beforeCut?: () => void) => Promise<void>;
}

/** Tracks the connections of a listening server, independent of its protocol. */
export function trackSockets(server: NetServer): OpenSockets {
  const sockets = new Set<Socket>();
  const allEnded = Promise.withResolvers<void>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    async stopListening(patienceMs) {
      await untilQuiet(() => accepted, patienceMs);
      // `close` of HTTP servers considers a response sent once it is complete on our side, and
      // would cut off large responses that the client is still reading.
      NetServer.prototype.close.call(server, () => allEnded.resolve());
    },
    async ended(graceMs, beforeCut) {
      const cut = setTimeout(() => {
        beforeCut?.();
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await allEnded.promise;
      clearTimeout(cut);
    },
  };
}

/**
 * Without new connections for this time and this number of polls, all clients that reconnect after
 * a response have done so.
 */
const QUIET_MS = 10;
const QUIET_POLLS = 10;
/** Time in milliseconds after which the number of polls is sufficient. */
const MAX_QUIET_MS = 200;

/**
 * Waits until no more connections are accepted. Node polls the system before each immediate, and
 * accepts at most one connection.
 */
async function untilQuiet(accepted: () => number, patienceMs: number): Promise<void> {
  // The first poll may have happened before this call.
  await immediate();
  const start = performance.now();
  for (let [polls, since, now] = [0, start, start]; now < start + patienceMs; now = performance.now()) {
    if (polls >= QUIET_POLLS && (now - since >= QUIET_MS || now - start >= MAX_QUIET_MS)) return;
    const before = accepted();
    await immediate();
    [polls, since] = accepted() === before ? [polls + 1, since] : [0, performance.now()];
  }
}
