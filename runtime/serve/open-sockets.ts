import { Server, type Socket } from 'node:net';

export interface OpenSockets {
  /**
   * Stops accepting connections; resolves when all have ended. Connections still open after `graceMs` are cut off; `beforeCut`
   * is called first.
   */
  readonly close: (graceMs: number, beforeCut?: () => void) => Promise<void>;
}

/** Tracks the connections of a listening server, independent of its protocol. */
export function trackSockets(server: Server): OpenSockets {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    async close(graceMs, beforeCut) {
      const cut = setTimeout(() => {
        beforeCut?.();
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      // The `close` of HTTP servers considers a response sent once it is complete on our side, and would cut off large
      // responses that the client is still reading.
      await new Promise<void>((resolve) => {
        Server.prototype.close.call(server, () => resolve());
      });
      clearTimeout(cut);
    },
  };
}
