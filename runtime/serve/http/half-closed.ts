import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node's setting to answer clients that have closed their half of the connection; its type is not declared. */
interface HalfOpenServer {
  httpAllowHalfOpen?: boolean;
}

/**
 * Answers clients that close their half of the connection after the request, such as `nc -N` and old HTTP/1.0 clients. The same
 * packet comes from a client that has disconnected. A client that keeps connections open for the next request has no reason to
 * close its half, so for its requests, the packet means that it has disconnected, and the work for them is cancelled.
 */
export function answerHalfClosed(server: Server & HalfOpenServer): void {
  server.httpAllowHalfOpen = true;
  // One listener per connection: a client can send many requests before it reads the first response.
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
