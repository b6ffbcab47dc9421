import { createServer as createNetServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { ConnectRouter } from '@connectrpc/connect';
import { bind } from '#serve/bind.ts';
import type { HostRules } from '#serve/http/host-rules.ts';
import type { Kernel } from '#serve/kernel.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import type { ListenTarget } from '#serve/listen-error.ts';
import { trackSockets } from '#serve/open-sockets.ts';
import { LINGER_MS } from '#serve/running-answers.ts';
import type { TlsFiles } from '#serve/tls.ts';
import type { ObservingKernel } from './observe.ts';
import { createProtocolServers } from './protocol-servers.ts';
import { createRequestListener } from './request-listener.ts';
import { createProtocolSwitch } from './switch-protocol.ts';

export interface GrpcListenOptions extends ListenTarget, ObservingKernel, Pick<Kernel, 'requestMemory'> {
  readonly routes: (router: ConnectRouter) => void;
  readonly tls?: TlsFiles | undefined;
  /** Allowed hosts and origins of requests that browsers can send. */
  readonly hostRules: HostRules;
  /** When the server stops, so that clients start calls on other connections from then on. Default: when it closes. */
  readonly lifecycle?: Pick<Lifecycle, 'onStop'> | undefined;
  /** Timeout in milliseconds for connections that do not start a call, and for calls whose client stalls. */
  readonly idleTimeout?: number;
  /** Grace period in milliseconds after `close`; connections that are still open are then cut. */
  readonly closeTimeout?: number;
}

export interface GrpcServer {
  readonly port: number;
  /**
   * Stops accepting connections and calls; resolves when running calls, also those that are on their way, are answered and all
   * connections are closed.
   */
  readonly close: () => Promise<void>;
}

/** Responses are held in memory until they are sent, also those to clients that read slowly. */
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
      // Answered clients that connect again would always have connections waiting, and the server could not stop listening.
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
