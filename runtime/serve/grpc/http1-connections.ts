import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows what is being answered on which connection, so that each can be ended after its last answer. Node's own
 * `server.close()` ends those that are idle at that moment and leaves the others until their keep-alive has run out.
 */
export function trackHttp1(server: Server): { readonly end: () => void } {
  const running = new Map<Socket, Set<ServerResponse>>();
  let ending = false;
  const endIfIdle = (socket: Socket): void => {
    if (ending && running.get(socket)?.size === 0) socket.destroySoon();
  };
  server.on('connection', (socket: Socket) => {
    running.set(socket, new Set());
    socket.once('close', () => running.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    running.get(socket)?.add(response);
    response.once('close', () => {
      running.get(socket)?.delete(response);
      endIfIdle(socket);
    });
  });
  return {
    end() {
      ending = true;
      for (const [socket, responses] of running) {
        for (const response of responses) response.shouldKeepAlive = false;
        endIfIdle(socket);
      }
    },
  };
}
