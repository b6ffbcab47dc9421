import type { Caller } from '../access/caller.ts';
import { queryServers } from '../calls/query-servers.ts';
import type { ManagerContext } from '../context.ts';
import { requestIdFrom } from '../../../serve/request-id.ts';
import { isNotImplemented, type McpCall, serverCall } from './mcp-call.ts';
import { LOG_LEVELS, type LogLevel } from './log-levels.ts';
import type { OwnedUri } from './resource-uri.ts';

/** A client with subscriptions, for example a session. */
export interface Subscriber {
  readonly caller: () => Caller;
  /** The server of its endpoint; undefined for all servers. */
  readonly server: string | undefined;
}

/**
 * The subscriptions and log levels of all clients. Clients share one connection to a server, so the server gets each
 * subscription once and the lowest log level, and both again after a restart.
 */
export interface SharedSubscriptions {
  subscribe(subscriber: Subscriber, call: McpCall, target: OwnedUri): Promise<void>;
  unsubscribe(subscriber: Subscriber, call: McpCall, target: OwnedUri): Promise<void>;
  setLevel(subscriber: Subscriber, call: McpCall, level: LogLevel): Promise<void>;
  /** Removes everything of a client that has disconnected. */
  drop(subscriber: Subscriber): void;
  /** Restores subscriptions and log level of a server after its start. */
  restore(server: string): void;
}

interface Subscription {
  readonly target: OwnedUri;
  readonly by: Set<Subscriber>;
}

export function createSharedSubscriptions({ calls, kernel }: ManagerContext): SharedSubscriptions {
  const byUri = new Map<string, Subscription>();
  const levels = new Map<Subscriber, LogLevel>();
  /** The log level that was sent to each server. */
  const sent = new Map<string, LogLevel>();

  const background = (subscriber: Subscriber): McpCall => ({
    caller: subscriber.caller(),
    requestId: requestIdFrom(undefined),
    params: {},
    signal: new AbortController().signal,
  });
  /** Runs work that no client waits for, outside of the request that caused it, which can end long before. */
  const quietly = (server: string, work: () => Promise<void>): void => {
    const running = kernel.tracer ? kernel.tracer.runOutside(work) : work();
    running.catch((error: unknown) =>
      kernel.log.debug({ server, err: error }, 'updating subscriptions or log level failed'),
    );
  };
  const end = async (call: McpCall, { target, by }: Subscription, subscriber: Subscriber): Promise<void> => {
    if (!by.delete(subscriber) || by.size > 0) return;
    byUri.delete(keyOf(target));
    await calls.unsubscribe({ ...serverCall(call, target.server), uri: target.uri });
  };
  const lowestLevel = (server: string): LogLevel | undefined => {
    const requested = new Set(
      [...levels].filter(([subscriber]) => receivesFrom(subscriber, server)).map(([, level]) => level),
    );
    return LOG_LEVELS.find((level) => requested.has(level));
  };
  const sendLevel = async (call: McpCall, server: string): Promise<void> => {
    const level = lowestLevel(server);
    if (level === undefined || sent.get(server) === level) return;
    await calls.setLogLevel({ ...serverCall(call, server), level });
    sent.set(server, level);
  };

  return {
    async subscribe(subscriber, call, target) {
      const known = byUri.get(keyOf(target));
      if (!known) await calls.subscribe({ ...serverCall(call, target.server), uri: target.uri });
      const subscription = byUri.get(keyOf(target)) ?? { target, by: new Set() };
      subscription.by.add(subscriber);
      byUri.set(keyOf(target), subscription);
    },
    async unsubscribe(subscriber, call, target) {
      const known = byUri.get(keyOf(target));
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
    restore(server) {
      sent.delete(server);
      const first = [...levels.keys()].find((subscriber) => receivesFrom(subscriber, server));
      if (first) quietly(server, () => sendLevel(background(first), server));
      for (const { target, by } of byUri.values()) {
        const [subscriber] = by;
        if (target.server !== server || !subscriber) continue;
        const call = serverCall(background(subscriber), server);
        quietly(server, () => calls.subscribe({ ...call, uri: target.uri }));
      }
    },
  };
}

/** Whether events of a server are for a client: the server is at its endpoint, and its caller can use it. */
export const receivesFrom = (subscriber: Subscriber, server: string): boolean =>
  (subscriber.server === undefined || subscriber.server === server) && subscriber.caller().canUse(server);

const keyOf = ({ server, uri }: OwnedUri): string => `${server} ${uri}`;
