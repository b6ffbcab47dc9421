import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestOptions } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import { memberOf } from '#core/values/member-of.ts';

interface ListenOptions {
  readonly capabilities: Params;
  readonly request: (method: string, params: Params, options: RequestOptions) => Promise<Params>;
}

/** The notification with which a server acknowledges a subscription. It has no meaning for clients. */
export const SUBSCRIPTION_ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;

/**
 * Subscribes to list changes of a server of the stateless era, and again when the stream ends. The changes arrive as
 * notifications.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function listenForChanges({ capabilities, request }: ListenOptions): { readonly stop: () => void } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const notifications = filterFor(capabilities);

  const listen = async (): Promise<void> => {
    for (let wait = MIN_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      await request('subscriptions/listen', { notifications }, { timeoutMs: Infinity, signal });
      await sleep(wait, undefined, { signal });
    }
  };
  if (Object.keys(notifications).length > 0) {
    // Not retried: a server that rejects the request will reject it again, and a closed connection has no changes.
    listen().catch(() => undefined);
  }
  return { stop: () => stopped.abort() };
}

function filterFor(capabilities: Params): Params {
  const wanted = ['tools', 'prompts', 'resources'].filter(
    (kind) => memberOf(capabilities[kind], 'listChanged') === true,
  );
  return Object.fromEntries(wanted.map((kind) => [`${kind}ListChanged`, true]));
}
