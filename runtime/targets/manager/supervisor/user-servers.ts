/** The part of a user's connection that its keeper needs. */
interface UserServer {
  /** Whether nothing would be lost if it was forgotten. */
  readonly isIdle: boolean;
  stop(options: { readonly gracefully: boolean }): Promise<void>;
}

/** The connections of a server with a sign-in for each user. */
export interface UserServers<Server extends UserServer> {
  /** Returns the connection of a user, which opens with its first call. */
  get(user: string): Server;
  all(): Iterable<Server>;
  /** Closes the connection of a user after its calls. The next call opens a new one. */
  forget(user: string): void;
  stop(options: { readonly gracefully: boolean }): Promise<void>;
}

/** Number of users above which idle ones are forgotten. They cost memory, but no connection. */
const MAX_IDLE = 1000;

export function createUserServers<Server extends UserServer>(
  create: (user: string) => Server,
  max = MAX_IDLE,
): UserServers<Server> {
  /** In the order of their last use. */
  const known = new Map<string, Server>();
  const stopping = new Set<Promise<void>>();
  const stop = (server: Server, gracefully: boolean): void => {
    const stopped = server.stop({ gracefully }).finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };
  const forgetIdle = (): void => {
    for (const [user, server] of known) {
      if (known.size <= max) return;
      if (!server.isIdle) continue;
      known.delete(user);
      stop(server, true);
    }
  };
  return {
    get(user) {
      const server = known.get(user) ?? create(user);
      known.delete(user);
      known.set(user, server);
      if (known.size > max) forgetIdle();
      return server;
    },
    all: () => known.values(),
    forget(user) {
      const server = known.get(user);
      known.delete(user);
      if (server) stop(server, true);
    },
    async stop({ gracefully }) {
      for (const server of known.values()) stop(server, gracefully);
      known.clear();
      await Promise.all(stopping);
    },
  };
}
