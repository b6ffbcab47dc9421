import { Server, type Socket } from 'node:net';

export interface OpenSockets {
  /**
   * Lets the server take no more connections; resolves when all have ended. Those that are open after `graceMs` are cut off,
   * which `beforeCut` hears before.
   */
  readonly close: (graceMs: number, beforeCut?: () => void) => Promise<void>;
}

/** Knows the connections of a server that listens, whatever it speaks on them. */
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
      // Servers of HTTP have a `close` of their own, which takes an answer for sent as soon as it is complete on our side, and
      // cuts off large ones whose client still reads.
      await new Promise<void>((resolve) => {
        Server.prototype.close.call(server, () => resolve());
      });
      clearTimeout(cut);
    },
  };
}
