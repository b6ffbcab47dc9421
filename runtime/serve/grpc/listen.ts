import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { ConnectRouter } from '@connectrpc/connect';
import { configError, messageOf } from '../../contract/errors.ts';
import type { ListenTarget } from '../listen-error.ts';
import type { Logger } from '../log.ts';
import { bind } from '../bind.ts';
import { createProtocolServers } from './protocol-servers.ts';
import { createRequestListener } from './request-listener.ts';
import { createProtocolSwitch } from './switch-protocol.ts';

export interface GrpcListenOptions extends ListenTarget {
  readonly routes: (router: ConnectRouter) => void;
  readonly log: Logger;
  /** PEM. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  /** In milliseconds: connections that do not get as far as a call, and calls whose client stalls, end after this. */
  readonly idleTimeout?: number;
  /** In milliseconds: what is still open this long after `close` is cut. */
  readonly closeTimeout?: number;
}

export interface GrpcServer {
  readonly port: number;
  /** Takes no new connections or calls; resolves when those that run are answered and all connections are closed. */
  readonly close: () => Promise<void>;
}

/** Serves gRPC, gRPC-Web and Connect on one port, by HTTP/2 (with and without TLS) and HTTP/1.1. */
export async function listenGrpc(options: GrpcListenOptions): Promise<GrpcServer> {
  const { routes, log, idleTimeout = 30_000, closeTimeout = 10_000 } = options;
  const front = createFront(options, idleTimeout);
  const requests = createRequestListener({ routes, log, idleTimeout });
  const servers = createProtocolServers(requests.listener, idleTimeout, log);
  const protocols = createProtocolSwitch(servers, idleTimeout);
  const sockets = new Set<Socket>();
  front.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  front.on(options.tls ? 'secureConnection' : 'connection', protocols.take);
  const port = await bind(front, options).catch((error: unknown) => {
    servers.stop();
    throw error;
  });
  front.on('error', (error) => log.warn({ err: error }, 'A connection could not be accepted.'));
  return {
    port,
    async close() {
      const closed = new Promise<void>((resolve) => front.close(() => resolve()));
      protocols.close();
      requests.endStreams();
      servers.end();
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, closeTimeout);
      await closed;
      clearTimeout(cut);
      servers.stop();
    },
  };
}

function createFront({ tls }: GrpcListenOptions, handshakeTimeout: number): Server {
  if (!tls) return createNetServer({ noDelay: true });
  try {
    const ALPNProtocols = ['h2', 'http/1.1'];
    return createTlsServer({ ...tls, ALPNProtocols, handshakeTimeout, noDelay: true });
  } catch (error) {
    const reason = messageOf(error);
    throw configError(`The TLS certificate or key cannot be used: ${reason}. Give both in PEM.`, error);
  }
}
