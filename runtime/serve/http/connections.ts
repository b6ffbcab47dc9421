import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

export interface Connections {
  /** Takes no new ones, and ends each as soon as nothing is being answered on it. Resolves when all have ended. */
  end(): Promise<void>;
  destroyAll(): void;
}

/**
 * Knows what is being answered on which connection. Node's own `server.close()` takes an answer for sent as soon as it is
 * complete on our side, and cuts off large ones whose client still reads.
 */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  const running = new Map<Socket, Set<ServerResponse>>();
  let ending = false;

  const endIfIdle = (socket: Socket): void => {
    if (ending && (running.get(socket)?.size ?? 0) === 0) socket.destroySoon();
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new Set());
    socket.once('close', () => running.delete(socket));
    endIfIdle(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    running.get(socket)?.add(response);
    if (ending) response.setHeader('Connection', 'close');
    response.once('close', () => {
      running.get(socket)?.delete(response);
      endIfIdle(socket);
    });
  });

  return {
    end() {
      ending = true;
      return new Promise((resolve) => {
        NetServer.prototype.close.call(server, () => {
          // Everything has ended; this ends what else Node runs for the server.
          server.close();
          resolve();
        });
        for (const [socket, responses] of running) {
          for (const response of responses)
            if (!response.headersSent) response.setHeader('Connection', 'close');
          endIfIdle(socket);
        }
      });
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
