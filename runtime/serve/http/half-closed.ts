import type { IncomingMessage, Server, ServerResponse } from 'node:http';

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
  server.on('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    if (!outgoing.shouldKeepAlive) return;
    const onEnd = (): void => void socket.destroy();
    if (socket.readableEnded) return onEnd();
    socket.once('end', onEnd);
    outgoing.once('close', () => socket.off('end', onEnd));
  });
}
