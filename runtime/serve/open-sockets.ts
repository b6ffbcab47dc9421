import { Server, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';

export interface OpenSockets {
  /**
   * Stops listening when no connection waits to be accepted, because the system resets those that still wait. If there is always
   * one, because very many clients connect, it stops after `patienceMs`.
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
      await untilQuiet(() => accepted, patienceMs);
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

/** Without new connections for this time and number of polls, clients that connect again after an answer have done so. */
const QUIET_MS = 10;
const QUIET_POLLS = 10;
/** Time in milliseconds after which the number of polls is enough. */
const MAX_QUIET_MS = 200;

/** Waits until no connection is accepted any more. Node polls the system before each immediate, and accepts at most one. */
async function untilQuiet(accepted: () => number, patienceMs: number): Promise<void> {
  // The first poll may have happened before this call.
  await immediate();
  const start = performance.now();
  for (let [polls, since, now] = [0, start, start]; now < start + patienceMs; now = performance.now()) {
    if (polls >= QUIET_POLLS && (now - since >= QUIET_MS || now - start >= MAX_QUIET_MS)) return;
    const before = accepted();
    await immediate();
    [polls, since] = accepted() === before ? [polls + 1, since] : [0, performance.now()];
  }
}
