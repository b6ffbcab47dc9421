import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

export interface RunningAnswers {
  /** Ends each connection as soon as nothing is being answered on it: those that are idle now, and new ones at once. */
  readonly endConnections: () => void;
  /** Whether the client of that connection has a part of an answer already. */
  readonly hasBegun: (connection: Duplex) => boolean;
}

/**
 * Knows what is being answered on which connection of HTTP/1.1. Node's own `server.close()` ends connections that are idle at
 * that moment, and leaves the others until their keep-alive has run out.
 */
export function trackAnswers(server: Server): RunningAnswers {
  const running = new Map<Socket, Set<ServerResponse>>();
  let ending = false;
  const announceEnd = (response: ServerResponse): void => {
    if (ending && !response.headersSent) response.setHeader('Connection', 'close');
  };
  const endIfIdle = (socket: Socket): void => {
    // Not before the client has read the last answer to its end.
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
      [...(running.get(connection as Socket) ?? [])].some(({ headersSent }) => headersSent),
    endConnections() {
      ending = true;
      for (const [socket, responses] of running) {
        responses.forEach(announceEnd);
        endIfIdle(socket);
      }
    },
  };
}
