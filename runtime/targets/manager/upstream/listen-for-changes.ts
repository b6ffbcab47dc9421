import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestOptions } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import { memberOf } from '../../../core/values/member-of.ts';

interface ListenOptions {
  readonly capabilities: Params;
  readonly request: (method: string, params: Params, options: RequestOptions) => Promise<Params>;
}

/** The server says that it will tell: of interest to no one else. */
export const LISTENING = 'notifications/subscriptions/acknowledged';

const LISTEN_AGAIN_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Asks a server of the stateless era to tell when its lists change, and asks again when it stops. What it tells comes as
 * notifications.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function listenForChanges({ capabilities, request }: ListenOptions): { readonly stop: () => void } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const notifications = filterFor(capabilities);

  const listen = async (): Promise<void> => {
    for (let wait = LISTEN_AGAIN_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      await request('subscriptions/listen', { notifications }, { timeoutMs: Infinity, signal });
      await sleep(wait, undefined, { signal });
    }
  };
  if (Object.keys(notifications).length > 0) {
    // A server that refuses will refuse again, and after the connection's end there is nothing to listen to.
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
