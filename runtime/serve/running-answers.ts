import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

export interface RunningAnswers {
  /** Ends each connection as soon as no response is running on it: idle connections now, new ones immediately. */
  readonly endConnections: () => void;
  /** Whether the client of a connection has already received a part of a response. */
  readonly hasBegun: (connection: Duplex) => boolean;
}

/**
 * Tracks running responses by HTTP/1.1 connection. Node's `server.close()` only ends connections that are idle at that moment,
 * and leaves others open until their keep-alive timeout.
 */
export function trackAnswers(server: Server): RunningAnswers {
  const running = new Map<Socket, Set<ServerResponse>>();
  let ending = false;
  const announceEnd = (response: ServerResponse): void => {
    if (ending && !response.headersSent) response.setHeader('Connection', 'close');
  };
  const endIfIdle = (socket: Socket): void => {
    // The client must have read the last response to its end.
    if (ending && running.get(socket)?.size === 0) socket.destroySoon();
  };
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new Set());
    socket.once('close', () => running.delete(socket));
    endIfIdle(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    running.get(socket)?.add(response);
    announceEnd(response);
    response.once('close', () => {
      running.get(socket)?.delete(response);
      endIfIdle(socket);
    });
  });
  return {
    hasBegun: (connection) =>
      connection instanceof Socket &&
      [...(running.get(connection) ?? [])].some(({ headersSent }) => headersSent),
    endConnections() {
      ending = true;
      for (const [socket, responses] of running) {
        responses.forEach(announceEnd);
        endIfIdle(socket);
      }
    },
  };
}
