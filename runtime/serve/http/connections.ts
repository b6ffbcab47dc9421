import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as immediate } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import { afterPoll } from '#platform/wait-for.ts';

// The HTTP server and the gRPC server share this, and the latter must not load the HTTP framework.

interface RunningAnswers {
  /**
   * From now on, responses announce the end of their connection, so that clients send their next
   * request on another one.
   */
  readonly announceEnd: () => void;
  /**
   * Ends each connection once it has no response running. Because another request can already be on
   * its way, idle connections stay open for `lingerMs`.
   */
  readonly endConnections: (lingerMs: number) => void;
  /** Whether the client has already received part of a response on this connection. */
  readonly hasBegun: (connection: Duplex) => boolean;
  /**
   * Whether a connection has been ended: a request that arrives later must not be processed,
   * because its response could not be sent.
   */
  readonly isOver: (connection: Duplex) => boolean;
}

/** Time in milliseconds for requests that are on their way when a server closes. */
export const LINGER_MS = 200;

/**
 * Time in milliseconds for clients to notice the end of a connection, before unread data makes the
 * system reset it.
 */
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
    // A process that was not scheduled in time first reads what arrived in the meantime.
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

/**
 * Node's setting to respond to clients that have closed their half of the connection; its type is
 * not declared.
 */
interface HalfOpenServer {
  httpAllowHalfOpen?: boolean;
}

/**
 * Responds to clients that close their half of the connection after the request, such as `nc -N`
 * and old HTTP/1.0 clients. A client that disconnects sends the same packet. A client that keeps
 * connections open for the next request has no reason to close its half, so for its requests the
 * packet means that it has disconnected, and their work is cancelled.
 */
export function answerHalfClosed(server: Server & HalfOpenServer): void {
  server.httpAllowHalfOpen = true;
  // One listener per connection, because a client can send many requests before it reads the first
  // response.
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

/**
 * Sends `100 Continue` when the body is first read. Node would send it before the caller is
 * authenticated.
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { shouldKeepAlive } = outgoing;
    const read = incoming._read.bind(incoming);
    // A client that gets the response instead may or may not send the body, so the next bytes on
    // the connection are ambiguous.
    outgoing.shouldKeepAlive = false;
    incoming._read = (size) => {
      incoming._read = read;
      if (!outgoing.headersSent) {
        outgoing.shouldKeepAlive = shouldKeepAlive;
        outgoing.writeContinue();
      }
      read(size);
    };
    server.emit('request', incoming, outgoing);
  });
}

interface OpenSockets {
  /**
   * Stops listening once no connection is waiting to be accepted, because the system resets waiting
   * ones. If there is always one, because very many clients connect, it stops after `patienceMs`.
   */
  readonly stopListening: (patienceMs: number) => Promise<void>;
  /**
   * Resolves when all connections have ended, after `stopListening`. Connections still open after
   * `graceMs` are cut off; `beforeCut` is called first.
   */
  readonly ended: (graceMs: number, beforeCut?: () => void) => Promise<void>;
}

/** Tracks the connections of a listening server, independent of its protocol. */
export function trackSockets(server: NetServer): OpenSockets {
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
      // `close` of HTTP servers considers a response sent once it is complete on our side, and
      // would cut off large responses that the client is still reading.
      NetServer.prototype.close.call(server, () => allEnded.resolve());
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

/**
 * Without new connections for this time and this number of polls, all clients that reconnect after
 * a response have done so.
 */
const QUIET_MS = 10;
const QUIET_POLLS = 10;
/** Time in milliseconds after which the number of polls is sufficient. */
const MAX_QUIET_MS = 200;

/**
 * Waits until no more connections are accepted. Node polls the system before each immediate, and
 * accepts at most one connection.
 */
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
