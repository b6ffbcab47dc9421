import type { Caller } from '../access/caller.ts';
import { askEach } from '../calls/ask-each.ts';
import type { ManagerContext } from '../context.ts';
import { requestIdFrom } from '../../../serve/request-id.ts';
import { isNotImplemented, type McpCall, serverCall } from './mcp-call.ts';
import { LOG_LEVELS, type LogLevel } from './log-levels.ts';
import type { OwnedUri } from './resource-uri.ts';

/** Somebody who wants to be told of things: a session. */
export interface Interested {
  readonly caller: () => Caller;
  /** The one server it is about; without it, all. */
  readonly server: string | undefined;
}

/**
 * What clients want servers to tell. All clients share one connection to a server: it is asked for the sum of what they want,
 * and asked again when it has been started anew.
 */
export interface Interests {
  subscribe(who: Interested, call: McpCall, target: OwnedUri): Promise<void>;
  unsubscribe(who: Interested, call: McpCall, target: OwnedUri): Promise<void>;
  setLevel(who: Interested, call: McpCall, level: LogLevel): Promise<void>;
  /** A client is gone. */
  drop(who: Interested): void;
  /** A server has been started, and knows nothing of what was before. */
  restore(server: string): void;
}

interface Subscription {
  readonly target: OwnedUri;
  readonly by: Set<Interested>;
}

export function createInterests({ calls, kernel }: ManagerContext): Interests {
  const subscriptions = new Map<string, Subscription>();
  const levels = new Map<Interested, LogLevel>();
  /** What each server was asked for last. */
  const sent = new Map<string, LogLevel>();

  const background = (who: Interested): McpCall => ({
    caller: who.caller(),
    requestId: requestIdFrom(undefined),
    params: {},
    signal: new AbortController().signal,
  });
  const quietly = (server: string, work: Promise<void>): void => {
    work.catch((error: unknown) =>
      kernel.log.debug({ server, err: error }, 'a server refused to be asked again'),
    );
  };
  const end = async (call: McpCall, { target, by }: Subscription, who: Interested): Promise<void> => {
    if (!by.delete(who) || by.size > 0) return;
    subscriptions.delete(keyOf(target));
    await calls.unsubscribe({ ...serverCall(call, target.server), uri: target.uri });
  };
  const wanted = (server: string): LogLevel | undefined => {
    const asked = new Set([...levels].filter(([who]) => concerns(who, server)).map(([, level]) => level));
    return LOG_LEVELS.find((level) => asked.has(level));
  };
  const sendLevel = async (call: McpCall, server: string): Promise<void> => {
    const level = wanted(server);
    if (level === undefined || sent.get(server) === level) return;
    await calls.setLogLevel({ ...serverCall(call, server), level });
    sent.set(server, level);
  };

  return {
    async subscribe(who, call, target) {
      const known = subscriptions.get(keyOf(target));
      if (!known) await calls.subscribe({ ...serverCall(call, target.server), uri: target.uri });
      const subscription = subscriptions.get(keyOf(target)) ?? { target, by: new Set() };
      subscription.by.add(who);
      subscriptions.set(keyOf(target), subscription);
    },
    async unsubscribe(who, call, target) {
      const known = subscriptions.get(keyOf(target));
      if (known) await end(call, known, who);
    },
    async setLevel(who, call, level) {
      levels.set(who, level);
      if (who.server !== undefined) return sendLevel(call, who.server);
      await askEach(calls.servers(call.caller), (server) => sendLevel(call, server), {
        signal: call.signal,
        onFailure(server, reason) {
          if (!isNotImplemented(reason)) kernel.log.warn({ server, err: reason }, 'cannot set its log level');
        },
      });
    },
    drop(who) {
      levels.delete(who);
      for (const subscription of subscriptions.values()) {
        quietly(subscription.target.server, end(background(who), subscription, who));
      }
    },
    restore(server) {
      sent.delete(server);
      const asking = [...levels.keys()].find((who) => concerns(who, server));
      if (asking) quietly(server, sendLevel(background(asking), server));
      for (const { target, by } of subscriptions.values()) {
        const [who] = by;
        if (target.server !== server || !who) continue;
        quietly(server, calls.subscribe({ ...serverCall(background(who), server), uri: target.uri }));
      }
    },
  };
}

/** Whether somebody is to hear of a server. */
export const concerns = (who: Interested, server: string): boolean =>
  (who.server === undefined || who.server === server) && who.caller().mayUse(server);

const keyOf = ({ server, uri }: OwnedUri): string => `${server} ${uri}`;
