/** The methods of a user's process or connection that its owner uses. */
export interface UserServer {
  /** Whether it can be dropped without losing any requests or state. */
  readonly isIdle: boolean;
  stop(options: { readonly gracefully: boolean }): Promise<void>;
}

/** The processes or connections of a server with one per user. */
export interface UserServers<Server extends UserServer> {
  /** Returns a user's connection, which opens with its first call. */
  get(key: string, create: () => Server): Server;
  /** Returns a known user's connection. */
  find(key: string): Server | undefined;
  /** All connections, the least recently used ones first. */
  all(): Iterable<Server>;
  /** Closes the connections after their calls. The next call opens a new one. */
  forget(isMeant: (server: Server) => boolean): void;
  stop(options: { readonly gracefully: boolean }): Promise<void>;
}

/**
 * Number of users above which idle users are dropped. Idle users occupy memory, but have no open
 * connection.
 */
const MAX_IDLE = 1000;

export function createUserServers<Server extends UserServer>(max = MAX_IDLE): UserServers<Server> {
  /** Ordered by last use. */
  const known = new Map<string, Server>();
  const stopping = new Set<Promise<void>>();
  const stop = (server: Server, gracefully: boolean): void => {
    const stopped = server.stop({ gracefully }).finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };
  const forgetIdle = (): void => {
    for (const [key, server] of known) {
      if (known.size <= max) return;
      if (!server.isIdle) continue;
      known.delete(key);
      stop(server, true);
    }
  };
  return {
    get(key, create) {
      const server = known.get(key) ?? create();
      known.delete(key);
      known.set(key, server);
      if (known.size > max) forgetIdle();
      return server;
    },
    find: (key) => known.get(key),
    all: () => known.values(),
    forget(isMeant) {
      for (const [key, server] of known) {
        if (!isMeant(server)) continue;
        known.delete(key);
        stop(server, true);
      }
    },
    async stop({ gracefully }) {
      for (const server of known.values()) stop(server, gracefully);
      known.clear();
      await Promise.all(stopping);
    },
  };
}
