import { setTimeout as sleep } from 'node:timers/promises';
import { membersOf } from '#core/json/members-of.ts';
import { memberOf } from '#core/values/member-of.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { Connection, Requester } from './connection.ts';
import { TASKS_EXTENSION } from './extensions.ts';

const LISTEN = 'subscriptions/listen';
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;

interface ListenOptions {
  readonly capabilities: ShapeOfParams;
  readonly request: Connection['request'];
}

/**
 * Subscribes to a stateless server's list changes, and resubscribes when the stream ends. The changes arrive
 * as notifications.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function listenForChanges({ capabilities, request }: ListenOptions): { readonly stop: () => void } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const notifications = filterFor(capabilities);

  const listen = async (): Promise<void> => {
    for (let wait = MIN_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      await request(LISTEN, { notifications }, { timeoutMs: Infinity, signal });
      await sleep(wait, undefined, { signal });
    }
  };
  if (Object.keys(notifications).length > 0) {
    // Not retried: a server that rejects the request will reject it again, and a closed connection reports no
    // changes.
    listen().catch(() => undefined);
  }
  return { stop: () => stopped.abort() };
}

function filterFor(capabilities: ShapeOfParams): ShapeOfParams {
  const wanted = ['tools', 'prompts', 'resources'].filter(
    (kind) => memberOf(capabilities[kind], 'listChanged') === true,
  );
  return Object.fromEntries(wanted.map((kind) => [`${kind}ListChanged`, true]));
}

/** A client that supports tasks, and that servers cannot send requests to. */
const TASK_CLIENT: Requester = {
  identity: {},
  capabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  request: () =>
    Promise.reject(new RpcError(RPC_CODE.methodNotFound, 'A subscription does not accept requests.')),
};

/**
 * Creates the function that subscribes to a task of a stateless server.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md
 */
export const taskListener =
  (request: Connection['request']): Connection['listenToTask'] =>
  async (taskId, { signal, onResponse }) => {
    const onAcknowledged = (params: ShapeOfParams): void => {
      const { taskIds } = membersOf(params['notifications']);
      onResponse(Array.isArray(taskIds) && taskIds.includes(taskId));
    };
    const options = {
      timeoutMs: Infinity,
      signal,
      requester: TASK_CLIENT,
      acceptsTask: true,
      onAcknowledged,
    };
    await request(LISTEN, { notifications: { taskIds: [taskId] } }, options);
  };
