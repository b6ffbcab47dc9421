import type { ToolCaller } from '../access/caller.ts';
import { queryServers } from '../calls/search.ts';
import { isPerUser } from '../config/spec.ts';
import type { ManagerContext } from '../context.ts';
import { requestIdFrom } from '#serve/http/request-head.ts';
import { isNotImplemented, type McpCall, mcpServerCall } from './mcp-call.ts';
import { MCP_LOG_LEVELS, type McpLogLevel } from './log-levels.ts';
import type { OwnedUri } from './resource-uri.ts';
import { serverOf, type Supervisor } from '../supervisor/managed-server.ts';
import { instanceKey } from '../supervisor/instance-key.ts';

/** A client with subscriptions, for example a session. */
export interface Subscriber {
  readonly caller: () => ToolCaller;
  /** The server of the client's endpoint; undefined for all servers. */
  readonly server: string | undefined;
}

/**
 * The subscriptions and log levels of all clients. Clients share one connection per server, so the server
 * gets each subscription once and the lowest log level, and both again after a restart.
 */
export interface SharedSubscriptions {
  subscribe(subscriber: Subscriber, call: McpCall, target: OwnedUri): Promise<void>;
  unsubscribe(subscriber: Subscriber, call: McpCall, target: OwnedUri): Promise<void>;
  setLevel(subscriber: Subscriber, call: McpCall, level: McpLogLevel): Promise<void>;
  /** Removes everything that belongs to a disconnected client. */
  drop(subscriber: Subscriber): void;
  /**
   * Restores a server's subscriptions and log level after its start. `user` is the connection's user, if
   * connections are per user.
   */
  restore(server: string, user: string | undefined): void;
}

interface Subscription {
  readonly target: OwnedUri;
  /** The connection's user, if the server has one connection per user. */
  readonly user: string | undefined;
  readonly by: Set<Subscriber>;
}

export function createSharedSubscriptions({
  calls,
  kernel,
  supervisor,
}: ManagerContext): SharedSubscriptions {
  const byUri = new Map<string, Subscription>();
  const levels = new Map<Subscriber, McpLogLevel>();
  /** The log level last sent on each connection. */
  const sent = new Map<string, McpLogLevel>();
  const userOf = (server: string, caller: ToolCaller): string | undefined =>
    connectionOf(supervisor, server, caller);

  /** Whether a lazy server is stopped: it then has no subscriptions, and `restore` sets its log level. */
  const isStopped = (server: string, user: string | undefined): boolean => {
    const found = serverOf(supervisor, { server, user });
    return found === undefined || (found.spec().lazy && !found.openConnection());
  };

  const background = (subscriber: Subscriber): McpCall => ({
    caller: subscriber.caller(),
    requestId: requestIdFrom(undefined),
    params: {},
    signal: new AbortController().signal,
  });
  /**
   * Runs work that no client waits for outside the context of the request that caused the work,
   * because the request can end much earlier.
   */
  const quietly = (server: string, work: () => Promise<void>): void => {
    const running = kernel.tracer ? kernel.tracer.runOutside(work) : work();
    running.catch((error: unknown) =>
      kernel.log.debug({ server, err: error }, 'updating subscriptions or log level failed'),
    );
  };
  const end = async (
    call: McpCall,
    { target, user, by }: Subscription,
    subscriber: Subscriber,
  ): Promise<void> => {
    if (!by.delete(subscriber) || by.size > 0) return;
    byUri.delete(keyOf(target, user));
    if (isStopped(target.server, user)) return;
    await calls.unsubscribe({ ...mcpServerCall(call, target.server), uri: target.uri });
  };
  const lowestLevel = (server: string, user: string | undefined): McpLogLevel | undefined => {
    const requested = new Set(
      [...levels].filter(([one]) => receivesFrom(one, server, user, supervisor)).map(([, level]) => level),
    );
    return MCP_LOG_LEVELS.find((level) => requested.has(level));
  };
  const sendLevel = async (call: McpCall, server: string): Promise<void> => {
    const user = userOf(server, call.caller);
    const level = lowestLevel(server, user);
    const connection = connectionKey(server, user);
    if (level === undefined || sent.get(connection) === level || isStopped(server, user)) return;
    await calls.setLogLevel({ ...mcpServerCall(call, server), level });
    sent.set(connection, level);
  };

  return {
    async subscribe(subscriber, call, target) {
      const user = userOf(target.server, call.caller);
      const key = keyOf(target, user);
      if (!byUri.has(key)) await calls.subscribe({ ...mcpServerCall(call, target.server), uri: target.uri });
      const subscription = byUri.get(key) ?? { target, user, by: new Set() };
      subscription.by.add(subscriber);
      byUri.set(key, subscription);
    },
    async unsubscribe(subscriber, call, target) {
      const known = byUri.get(keyOf(target, userOf(target.server, call.caller)));
      if (known) await end(call, known, subscriber);
    },
    async setLevel(subscriber, call, level) {
      levels.set(subscriber, level);
      if (subscriber.server !== undefined) return sendLevel(call, subscriber.server);
      await queryServers(calls.servers(call.caller), (server) => sendLevel(call, server), {
        signal: call.signal,
        onFailure(server, reason) {
          if (!isNotImplemented(reason)) {
            kernel.log.warn({ server, err: reason }, 'setting the log level failed');
          }
        },
      });
    },
    drop(subscriber) {
      levels.delete(subscriber);
      for (const subscription of byUri.values()) {
        quietly(subscription.target.server, () => end(background(subscriber), subscription, subscriber));
      }
    },
    restore(server, connected) {
      sent.delete(connectionKey(server, connected));
      const first = [...levels.keys()].find((subscriber) =>
        receivesFrom(subscriber, server, connected, supervisor),
      );
      if (first) quietly(server, () => sendLevel(background(first), server));
      for (const { target, user, by } of byUri.values()) {
        const [subscriber] = by;
        if (target.server !== server || user !== connected || !subscriber) continue;
        const call = mcpServerCall(background(subscriber), server);
        quietly(server, () => calls.subscribe({ ...call, uri: target.uri }));
      }
    },
  };
}

/**
 * Whether a server's events concern a client: its endpoint includes the server, its caller can use it, and
 * the events do not come from another user's connection.
 */
export function receivesFrom(
  subscriber: Subscriber,
  server: string,
  user: string | undefined,
  supervisor: Pick<Supervisor, 'get'>,
): boolean {
  if (subscriber.server !== undefined && subscriber.server !== server) return false;
  const caller = subscriber.caller();
  return caller.canUse(server) && (user === undefined || connectionOf(supervisor, server, caller) === user);
}

/** Returns the key of the connection that is used for a caller; undefined if all callers share it. */
export function connectionOf(
  supervisor: Pick<Supervisor, 'get'>,
  server: string,
  caller: ToolCaller,
): string | undefined {
  const found = supervisor.get(server);
  return found && isPerUser(found.spec()) ? instanceKey(found.spec(), caller) : undefined;
}

const connectionKey = (server: string, user = ''): string => `${server} ${user}`;
const keyOf = ({ server, uri }: OwnedUri, user = ''): string => JSON.stringify([server, uri, user]);
