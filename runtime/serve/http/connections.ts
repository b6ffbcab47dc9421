import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as immediate } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import { OpenList } from '#core/limits/open-list.ts';
import { afterPoll } from '#platform/wait-for.ts';

// The HTTP server and the gRPC server share this file. It must not import the HTTP framework,
// because gRPC servers must not load it.

interface RunningAnswers {
  /**
   * From now on, responses announce that their connection will be closed, so that clients send
   * their next request on another connection.
   */
  readonly announceEnd: () => void;
  /**
   * Ends each connection as soon as no response is running on it. Idle connections stay open for
   * `lingerMs`, because clients may already have sent another request.
   */
  readonly endConnections: (lingerMs: number) => void;
  /** Whether the client has already received part of a response on this connection. */
  readonly hasBegun: (connection: Duplex) => boolean;
  /**
   * Whether a connection has been ended. A request that arrives afterwards must not be processed,
   * because its response could not be sent.
   */
  readonly isOver: (connection: Duplex) => boolean;
}

/** Time in milliseconds to wait for requests that clients have already sent when the server is closed. */
export const LINGER_MS = 200;

/**
 * Time in milliseconds that clients have to notice the end of a connection before it is destroyed.
 * If there is unread data, the system then resets the connection.
 */
const LAST_READ_MS = 100;

/**
 * Tracks the running responses of each HTTP/1.1 connection. Node's `server.close()` only ends
 * connections that are idle at that moment, and leaves all other connections open until their
 * keep-alive timeout.
 */
export function trackAnswers(server: Server): RunningAnswers {
  const connections = new OpenList<Socket>();
  const running = new WeakMap<Socket, OpenList<ServerResponse>>();
  const over = new WeakSet<Duplex>();
  let announced = false;
  let lingerMs: number | undefined;
  const announce = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  const announceEnd = (): void => {
    announced = true;
    for (const socket of connections.items()) running.get(socket)?.items().forEach(announce);
  };
  const end = (socket: Socket): void => {
    if (over.has(socket) || running.get(socket)?.size !== 0) return;
    over.add(socket);
    // Not destroyed immediately, because the client must be able to read the last response to its end.
    socket.end();
    const cut = setTimeout(() => socket.destroy(), LAST_READ_MS);
    socket.once('close', () => clearTimeout(cut));
  };
  const linger = (socket: Socket): void => {
    if (lingerMs === undefined || running.get(socket)?.size !== 0) return;
    // If this process did not get CPU time, it must first read the data that has arrived in the meantime.
    const timer = setTimeout(() => void afterPoll().then(() => end(socket)), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new OpenList());
    const entry = connections.add(socket);
    socket.once('close', () => {
      running.delete(socket);
      connections.delete(entry);
    });
    linger(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = running.get(socket);
    const entry = responses?.add(response);
    if (announced) announce(response);
    response.once('close', () => {
      if (entry) responses?.delete(entry);
      linger(socket);
    });
  });
  return {
    announceEnd,
    hasBegun: (connection) =>
      connection instanceof Socket &&
      (running.get(connection)?.items() ?? []).some(({ headersSent }) => headersSent),
    isOver: (connection) => over.has(connection),
    endConnections(patienceMs) {
      announceEnd();
      lingerMs = patienceMs;
      connections.items().forEach(linger);
    },
  };
}

/**
 * Node's setting for responding to clients that have closed their half of the connection. Node's
 * types do not declare it.
 */
interface HalfOpenServer {
  httpAllowHalfOpen?: boolean;
}

/**
 * Responds to clients that close their half of the connection after the request, such as `nc -N`
 * and old HTTP/1.0 clients. A client that disconnects sends the same packet. A client that keeps
 * connections open for further requests has no reason to close its half. If such a client sends the
 * packet, it is therefore considered disconnected, and its requests are cancelled.
 */
export function answerHalfClosed(server: Server & HalfOpenServer): void {
  server.httpAllowHalfOpen = true;
  // One listener per connection, because a client can send many requests before it reads the first
  // response.
  const connections = new WeakMap<Socket, { unanswered: number }>();
  const watch = (socket: Socket): { unanswered: number } => {
    const connection = { unanswered: 0 };
    connections.set(socket, connection);
    socket.once('end', () => {
      if (connection.unanswered > 0) socket.destroy();
    });
    return connection;
  };
  server.on('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    if (!outgoing.shouldKeepAlive) return;
    if (socket.readableEnded) {
      socket.destroy();
      return;
    }
    const connection = connections.get(socket) ?? watch(socket);
    connection.unanswered += 1;
    outgoing.once('close', () => (connection.unanswered -= 1));
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
    // A client that receives the response before `100 Continue` may or may not send the body, so
    // the next bytes on the connection are ambiguous.
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
   * Stops listening once no connections are waiting to be accepted, because the system would reset
   * them. If very many clients connect, so that connections are always waiting, the server stops
   * listening after `patienceMs`.
   */
  readonly stopListening: (patienceMs: number) => Promise<void>;
  /**
   * To be called after `stopListening`. Resolves when all connections have ended. Connections that
   * are still open after `graceMs` are cut off. `beforeCut` is called before that.
   */
  readonly ended: (graceMs: number, beforeCut?: () => void) => Promise<void>;
}

/** Tracks the connections of a listening server, independent of its protocol. */
export function trackSockets(server: NetServer): OpenSockets {
  const sockets = new OpenList<Socket>();
  const allEnded = Promise.withResolvers<void>();
  let accepted = 0;
  let hasStopped = false;
  const settle = (): void => {
    if (hasStopped && sockets.size === 0) allEnded.resolve();
  };
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    const entry = sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(entry);
      settle();
    });
  });
  return {
    async stopListening(patienceMs) {
      await untilQuiet(() => accepted, patienceMs);
      // The `close` method of HTTP servers considers a response to be sent once the server has
      // written it completely, so it would cut off large responses that the client is still
      // reading.
      NetServer.prototype.close.call(server);
      hasStopped = true;
      settle();
    },
    async ended(graceMs, beforeCut) {
      const cut = setTimeout(() => {
        beforeCut?.();
        for (const socket of sockets.items()) socket.destroy();
      }, graceMs);
      await allEnded.promise;
      clearTimeout(cut);
    },
  };
}

/**
 * If there are no new connections during this time and this number of polls, all clients that
 * reconnect after a response have reconnected.
 */
const QUIET_MS = 10;
const QUIET_POLLS = 10;
/** Time in milliseconds after which waiting ends as soon as the number of polls is reached. */
const MAX_QUIET_MS = 200;

/**
 * Waits until no more connections are waiting to be accepted. Before each immediate, Node polls the
 * system once and accepts at most one connection.
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
