import { OpenList } from '#core/limits/open-list.ts';
import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { ConnectRouter } from '@connectrpc/connect';
import { bind, type ListenTarget } from '#serve/bind.ts';
import { type HostRules, createHeadCheck } from '#serve/http/request-head.ts';
import type { Kernel } from '#serve/kernel.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import {
  trackSockets,
  LINGER_MS,
  trackAnswers,
  answerHalfClosed,
  continueWhenRead,
} from '#serve/http/connections.ts';
import type { TlsFiles } from '#serve/tls.ts';
import type { ObservingKernel, NodeRequest, NodeResponse } from './observe.ts';
import { createRequestListener, answerPlainText } from './request-listener.ts';
import { type Server as Http1Server, createServer as createHttp1Server } from 'node:http';
import {
  type Http2Server,
  constants,
  createServer as createHttp2Server,
  type ServerHttp2Session,
} from 'node:http2';
import { afterPoll } from '#platform/wait-for.ts';
import {
  answerInvalidRequest,
  answerRejected,
  MAX_HEADER_BYTES,
  plainTextRefusal,
} from '#serve/http/invalid-requests.ts';
import type { Logger } from '#serve/log.ts';

export interface GrpcListenOptions extends ListenTarget, ObservingKernel, Pick<Kernel, 'requestMemory'> {
  readonly routes: (router: ConnectRouter) => void;
  readonly tls?: TlsFiles | undefined;
  /** Hosts and origins that are allowed in requests that browsers can send. */
  readonly hostRules: HostRules;
  /**
   * Reports that the server is about to stop. Clients are then asked to start calls on other
   * connections. By default, they are asked when the server is closed.
   */
  readonly lifecycle?: Pick<Lifecycle, 'onStop'> | undefined;
  /** Timeout in milliseconds for connections that do not start a call, and for calls whose client stalls. */
  readonly idleTimeout?: number;
  /**
   * Grace period in milliseconds after `close` is called. Connections that are still open
   * afterwards are cut off.
   */
  readonly closeTimeout?: number;
}

export interface GrpcServer {
  readonly port: number;
  /**
   * Stops accepting connections and calls. Resolves when all running calls, including those that
   * clients have already sent, are completed and all connections are closed.
   */
  readonly close: () => Promise<void>;
}

/** Responses stay in memory until they are sent, even if the client reads slowly. */
const MIN_CONNECTION_BYTES = 64 * 1024 * 1024;

/** Serves gRPC, gRPC-Web and Connect on one port, over HTTP/2 (with and without TLS) and HTTP/1.1. */
export async function listenGrpc(options: GrpcListenOptions): Promise<GrpcServer> {
  const { log, idleTimeout = 30_000, closeTimeout = 10_000 } = options;
  const maxConnectionBytes = Math.max(MIN_CONNECTION_BYTES, options.requestMemory.limit);
  const front = createFront(options, idleTimeout);
  const requests = createRequestListener({ ...options, idleTimeout });
  let stopped: Promise<void> | undefined;
  const servers = createProtocolServers({
    listener(request, response) {
      // If clients kept reconnecting after each response, connections would always be waiting to be
      // accepted, and the server could not stop listening.
      if (stopped) void stopped.then(() => requests.listener(request, response));
      else requests.listener(request, response);
    },
    idleTimeout,
    maxConnectionBytes,
    log,
  });
  const protocols = createProtocolSwitch(servers, idleTimeout);
  const sockets = trackSockets(front);
  front.on(options.tls ? 'secureConnection' : 'connection', protocols.take);
  const port = await bind(front, options).catch((error: unknown) => {
    servers.stop();
    throw error;
  });
  options.lifecycle?.onStop(servers.announceEnd);
  front.on('error', (error) => log.warn({ err: error }, 'gRPC connection refused'));
  return {
    port,
    async close() {
      const lingerMs = Math.min(LINGER_MS, closeTimeout);
      servers.announceEnd();
      stopped = sockets.stopListening(closeTimeout / 2);
      await stopped;
      requests.endStreams();
      protocols.close(lingerMs);
      servers.end(lingerMs);
      await sockets.ended(closeTimeout, requests.endAll);
      servers.stop();
    },
  };
}

function createFront({ tls }: GrpcListenOptions, handshakeTimeout: number): Server {
  if (!tls) return createNetServer({ noDelay: true });
  const ALPNProtocols = ['h2', 'http/1.1'];
  return createTlsServer({ ...tls, ALPNProtocols, handshakeTimeout, noDelay: true });
}

/**
 * The first bytes of every HTTP/2 connection, which no HTTP/1.1 request can start with:
 * https://www.rfc-editor.org/rfc/rfc9113#section-3.4
 */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

interface ProtocolSwitch {
  /**
   * Passes a new connection to the server for its protocol. The connection is closed if the client
   * does not send enough bytes in time to identify the protocol.
   */
  readonly take: (socket: Socket) => void;
  /** After `lingerMs`, closes connections whose protocol is still unknown. */
  readonly close: (lingerMs: number) => void;
}

function createProtocolSwitch(
  servers: { readonly http1: Http1Server; readonly http2: Http2Server },
  timeout: number,
): ProtocolSwitch {
  const undecided = new OpenList<Socket>();
  return {
    take(socket) {
      // A connection can fail at any time. The server that receives the connection handles the failure.
      socket.on('error', () => {});
      const entry = undecided.add(socket);
      const giveUp = setTimeout(() => socket.destroy(), timeout);
      const decided = (): void => {
        clearTimeout(giveUp);
        undecided.delete(entry);
      };
      socket.once('close', decided);

      let seen = Buffer.alloc(0);
      socket.on('data', function onData(chunk: Buffer) {
        seen = Buffer.concat([seen, chunk]);
        const start = seen.subarray(0, PREFACE.length);
        const isHttp2 = start.equals(PREFACE.subarray(0, start.length));
        if (isHttp2 && start.length < PREFACE.length) return;
        decided();
        socket.off('data', onData);
        socket.pause();
        socket.unshift(seen);
        if (isHttp2) {
          // The HTTP/2 server itself reads the data that has already arrived.
          servers.http2.emit('connection', socket);
        } else {
          // As in Node's own server. Whether a client that closes its half of the connection has
          // disconnected depends on the request.
          socket.allowHalfOpen = true;
          servers.http1.emit('connection', socket);
          socket.resume();
        }
      });
    },
    close(lingerMs) {
      const destroyAll = (): void => {
        for (const socket of undecided.items()) socket.destroy();
      };
      // If this process did not get CPU time, it must first read the data that has arrived in the meantime.
      if (undecided.size > 0) setTimeout(() => void afterPoll().then(destroyAll), lingerMs);
    },
  };
}

/** Servers that do not listen themselves. New connections are passed to them. */
interface ProtocolServers {
  readonly http1: Http1Server;
  readonly http2: Http2Server;
  /** Asks clients to start calls on other connections. */
  readonly announceEnd: () => void;
  /**
   * Ends connections after their last response. Idle connections stay open for `lingerMs`, because
   * clients may already have sent another call.
   */
  readonly end: (lingerMs: number) => void;
  /** Stops the servers. Must only be called when all connections are closed. */
  readonly stop: () => void;
}

/**
 * With this stream ID, a GOAWAY frame does not cancel calls that clients have already sent (RFC
 * 9113, section 6.8).
 */
const MAX_STREAM_ID = 2 ** 31 - 1;

/** Maximum number of concurrent calls on one HTTP/2 connection. Clients queue further calls. */
const MAX_STREAMS = 256;

interface ProtocolServerOptions {
  readonly listener: (request: NodeRequest, response: NodeResponse) => void;
  readonly idleTimeout: number;
  /** Memory usage above which an HTTP/2 connection does not accept new calls. */
  readonly maxConnectionBytes: number;
  readonly log: Logger;
}

function createProtocolServers({
  listener,
  idleTimeout,
  maxConnectionBytes,
  log,
}: ProtocolServerOptions): ProtocolServers {
  const headProblem = createHeadCheck();
  const http1 = createHttp1Server({
    headersTimeout: idleTimeout,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Disabled, because a missing Host header is reported in the server's own error format.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(idleTimeout, 5000),
  });
  const answers = trackAnswers(http1);
  answerInvalidRequest(http1, plainTextRefusal, answers.hasBegun);
  continueWhenRead(http1);
  answerHalfClosed(http1);
  http1.on('request', (request, response) => {
    if (answers.isOver(request.socket)) return;
    const problem = headProblem(request);
    if (problem) void answerRejected(response, plainTextRefusal(problem.error, problem.status));
    else listener(request, response);
  });
  // Makes the server check its timeouts. Node normally starts these checks when a server listens.
  http1.emit('listening');

  const http2 = createHttp2Server(
    {
      // In megabytes. With Node's default of 10, new calls would be rejected while large responses
      // are being sent.
      maxSessionMemory: Math.ceil(maxConnectionBytes / 1_000_000),
      settings: {
        initialWindowSize: 1024 * 1024,
        maxConcurrentStreams: MAX_STREAMS,
        maxHeaderListSize: MAX_HEADER_BYTES,
      },
    },
    (request, response) => {
      const problem = headProblem(request);
      if (problem) answerPlainText(response, problem.status, `${problem.error.message}\n`);
      else listener(request, response);
    },
  );
  const sessions = new OpenList<ServerHttp2Session>();
  let endAfterMs: number | undefined;
  const endSoon = (session: ServerHttp2Session): void => {
    const timer = setTimeout(() => void afterPoll().then(() => session.close()), endAfterMs);
    session.once('close', () => clearTimeout(timer));
  };
  http2.on('session', (session) => {
    const entry = sessions.add(session);
    if (endAfterMs !== undefined) endSoon(session);
    // The first frame from a client contains its settings.
    const giveUp = setTimeout(() => session.destroy(), idleTimeout);
    session.once('remoteSettings', () => clearTimeout(giveUp));
    session.once('close', () => {
      clearTimeout(giveUp);
      sessions.delete(entry);
    });
  });
  http2.on('sessionError', (error) => log.debug({ err: error }, 'gRPC connection failed'));

  return {
    http1,
    http2,
    announceEnd() {
      answers.announceEnd();
      for (const session of sessions.items()) {
        if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, MAX_STREAM_ID);
      }
    },
    end(lingerMs) {
      answers.endConnections(lingerMs);
      endAfterMs = lingerMs;
      sessions.items().forEach(endSoon);
    },
    stop: () => void http1.close(),
  };
}
