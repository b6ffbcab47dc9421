import { Server, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { afterPoll } from '../platform/after-poll.ts';

export interface OpenSockets {
  /**
   * Stops listening as soon as no connection waits to be accepted, because the system resets those that still wait. Clients that
   * connect all the time can keep a connection waiting: the wait ends after `patienceMs`.
   */
  readonly stopListening: (patienceMs: number) => Promise<void>;
  /**
   * Resolves when all connections have ended, after `stopListening`. Connections still open after `graceMs` are cut off;
   * `beforeCut` is called first.
   */
  readonly ended: (graceMs: number, beforeCut?: () => void) => Promise<void>;
}

/** Tracks the connections of a listening server, independent of its protocol. */
export function trackSockets(server: Server): OpenSockets {
  const sockets = new Set<Socket>();
  const allEnded = Promise.withResolvers<void>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    async stopListening(patienceMs) {
      const givesUpAt = performance.now() + patienceMs;
      await afterPoll();
      // Node accepts at most one connection each time that it polls the system, which it does before each immediate.
      for (let before = -1; before !== accepted && performance.now() < givesUpAt;) {
        before = accepted;
        await immediate();
      }
      // The `close` of HTTP servers considers a response sent once it is complete on our side, and would cut off large
      // responses that the client is still reading.
      Server.prototype.close.call(server, () => allEnded.resolve());
    },
    async ended(graceMs, beforeCut) {
      const cut = setTimeout(() => {
        beforeCut?.();
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await allEnded.promise;
      clearTimeout(cut);
    },
  };
}
