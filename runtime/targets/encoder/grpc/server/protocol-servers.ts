import { createServer as createHttp1Server, type Server as Http1Server } from 'node:http';
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { Logger } from '../../../../serve/log.ts';
import { trackAnswers } from '../../../../serve/running-answers.ts';
import type { NodeRequest, NodeResponse } from './node-http.ts';

/** Servers that do not listen: their connections come from elsewhere. */
export interface ProtocolServers {
  readonly http1: Http1Server;
  readonly http2: Http2Server;
  /** Ends idle connections immediately, and the others after their last response. */
  readonly end: () => void;
  /** Stops the servers. Must be called when no connection is left. */
  readonly stop: () => void;
}

export function createProtocolServers(
  listener: (request: NodeRequest, response: NodeResponse) => void,
  idleTimeout: number,
  log: Logger,
): ProtocolServers {
  const http1 = createHttp1Server({
    headersTimeout: idleTimeout,
    connectionsCheckingInterval: Math.min(idleTimeout, 5000),
  });
  const answers = trackAnswers(http1);
  http1.on('request', listener);
  // Makes the server watch its timeouts, which normally starts when it listens.
  http1.emit('listening');

  const http2 = createHttp2Server(
    {
      // Limit in megabytes. Responses are held in memory anyway until they are sent; the default of 10 would reject new calls
      // meanwhile.
      maxSessionMemory: 4096,
      settings: { initialWindowSize: 1024 * 1024 },
    },
    listener,
  );
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', (session) => {
    sessions.add(session);
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
    end() {
      answers.endConnections();
      for (const session of sessions) session.close();
    },
    stop: () => void http1.close(),
  };
}
