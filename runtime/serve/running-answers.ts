import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { afterPoll } from '#platform/after-poll.ts';

export interface RunningAnswers {
  /** From now on, responses report the end of their connection, so that clients send their next request on another one. */
  readonly announceEnd: () => void;
  /**
   * Ends each connection when it has no response running. A request can be on its way: connections without a response have
   * `lingerMs` for it.
   */
  readonly endConnections: (lingerMs: number) => void;
  /** Whether the client of a connection has already received a part of a response. */
  readonly hasBegun: (connection: Duplex) => boolean;
  /** Whether a connection has been ended: a request that arrives later must not be run, because it cannot be answered. */
  readonly isOver: (connection: Duplex) => boolean;
}

/** Time in milliseconds for requests that are on their way when a server closes. */
export const LINGER_MS = 200;

/** Time in milliseconds for clients to read the end of a connection, before unread data makes the system reset it. */
const LAST_READ_MS = 100;

/**
 * Tracks running responses by HTTP/1.1 connection. Node's `server.close()` only ends connections that are idle at that moment,
 * and leaves others open until their keep-alive timeout.
 */
export function trackAnswers(server: Server): RunningAnswers {
  const running = new Map<Socket, Set<ServerResponse>>();
  const over = new WeakSet<Duplex>();
  let announced = false;
  let lingerMs: number | undefined;
  const announce = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  const announceEnd = (): void => {
    announced = true;
    for (const responses of running.values()) responses.forEach(announce);
  };
  const end = (socket: Socket): void => {
    if (over.has(socket) || running.get(socket)?.size !== 0) return;
    over.add(socket);
    // The client must have read the last response to its end.
    socket.end();
    const cut = setTimeout(() => socket.destroy(), LAST_READ_MS);
    socket.once('close', () => clearTimeout(cut));
  };
  const linger = (socket: Socket): void => {
    if (lingerMs === undefined || running.get(socket)?.size !== 0) return;
    // A process that was not scheduled in time first reads what arrived meanwhile.
    const timer = setTimeout(() => void afterPoll().then(() => end(socket)), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new Set());
    socket.once('close', () => running.delete(socket));
    linger(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    running.get(socket)?.add(response);
    if (announced) announce(response);
    response.once('close', () => {
      running.get(socket)?.delete(response);
      linger(socket);
    });
  });
  return {
    announceEnd,
    hasBegun: (connection) =>
      connection instanceof Socket &&
      [...(running.get(connection) ?? [])].some(({ headersSent }) => headersSent),
    isOver: (connection) => over.has(connection),
    endConnections(patienceMs) {
      announceEnd();
      lingerMs = patienceMs;
      for (const socket of running.keys()) linger(socket);
    },
  };
}
