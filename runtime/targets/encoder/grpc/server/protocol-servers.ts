import { createServer as createHttp1Server, type Server as Http1Server } from 'node:http';
import {
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Session,
} from 'node:http2';
import { afterPoll } from '#platform/after-poll.ts';
import { continueWhenRead } from '#serve/http/continue-when-read.ts';
import { answerHalfClosed } from '#serve/http/half-closed.ts';
import {
  answerInvalidRequest,
  answerRejected,
  MAX_HEADER_BYTES,
  plainTextRefusal,
} from '#serve/http/invalid-requests.ts';
import { createHeadCheck } from '#serve/http/request-head.ts';
import type { Logger } from '#serve/log.ts';
import { trackAnswers } from '#serve/running-answers.ts';
import type { NodeRequest, NodeResponse } from './node-http.ts';
import { answerPlainText } from './unknown-method.ts';

/** Servers that do not listen: their connections come from elsewhere. */
export interface ProtocolServers {
  readonly http1: Http1Server;
  readonly http2: Http2Server;
  /** Asks clients to start calls on other connections. */
  readonly announceEnd: () => void;
  /** Ends connections after their last response. A call can be on its way: idle connections have `lingerMs` for it. */
  readonly end: (lingerMs: number) => void;
  /** Stops the servers. Must be called when no connection is left. */
  readonly stop: () => void;
}

/** With this id, a frame that ends a connection lets calls that are on their way be answered: RFC 9113, section 6.8. */
const MAX_STREAM_ID = 2 ** 31 - 1;

/** Maximum number of calls at the same time on one HTTP/2 connection. Clients let further calls wait. */
const MAX_STREAMS = 256;

export interface ProtocolServerOptions {
  readonly listener: (request: NodeRequest, response: NodeResponse) => void;
  readonly idleTimeout: number;
  /** Memory of one HTTP/2 connection, above which it gets no new calls. */
  readonly maxConnectionBytes: number;
  readonly log: Logger;
}

export function createProtocolServers({
  listener,
  idleTimeout,
  maxConnectionBytes,
  log,
}: ProtocolServerOptions): ProtocolServers {
  const headProblem = createHeadCheck();
  const http1 = createHttp1Server({
    headersTimeout: idleTimeout,
    maxHeaderSize: MAX_HEADER_BYTES,
    // A missing Host header is reported in our own error format.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(idleTimeout, 5000),
  });
  const answers = trackAnswers(http1);
  answerInvalidRequest(http1, plainTextRefusal, answers);
  continueWhenRead(http1);
  answerHalfClosed(http1);
  http1.on('request', (request, response) => {
    if (answers.isOver(request.socket)) return;
    const problem = headProblem(request);
    if (problem) void answerRejected(response, plainTextRefusal(problem.error, problem.status));
    else listener(request, response);
  });
  // Makes the server watch its timeouts, which normally starts when it listens.
  http1.emit('listening');

  const http2 = createHttp2Server(
    {
      // In megabytes; the default of 10 would reject new calls while large responses are sent.
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
  const sessions = new Set<ServerHttp2Session>();
  let endAfterMs: number | undefined;
  const endSoon = (session: ServerHttp2Session): void => {
    const timer = setTimeout(() => void afterPoll().then(() => session.close()), endAfterMs);
    session.once('close', () => clearTimeout(timer));
  };
  http2.on('session', (session) => {
    sessions.add(session);
    if (endAfterMs !== undefined) endSoon(session);
    // The first frame of a client contains its settings.
    const giveUp = setTimeout(() => session.destroy(), idleTimeout);
    session.once('remoteSettings', () => clearTimeout(giveUp));
    session.once('close', () => {
      clearTimeout(giveUp);
      sessions.delete(session);
    });
  });
  http2.on('sessionError', (error) => log.debug({ err: error }, 'gRPC connection failed'));

  return {
    http1,
    http2,
    announceEnd() {
      answers.announceEnd();
      for (const session of sessions) {
        if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, MAX_STREAM_ID);
      }
    },
    end(lingerMs) {
      answers.endConnections(lingerMs);
      endAfterMs = lingerMs;
      sessions.forEach(endSoon);
    },
    stop: () => void http1.close(),
  };
}
