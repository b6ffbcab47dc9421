import { isObject } from '#core/json/is-object.ts';
import { lookup } from '#core/values/lookup.ts';
import type { EventStream } from '#serve/mcp/event-stream.ts';
import { notification } from '#serve/mcp/mcp-session.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { META_KEY } from '#serve/mcp/rpc-message.ts';
import type { ToolCaller } from '../access/caller.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { createClientSubscriptions } from './client-subscriptions.ts';
import type { McpEndpoint } from './endpoint.ts';
import type { ListChanged, Listener } from './listeners.ts';
import { type McpCall, optionalObject } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import type { TaskSubscription } from './tasks/task-subscriptions.ts';

interface ListenRequest {
  readonly id: string | number;
  readonly call: McpCall;
  readonly endpoint: McpEndpoint;
  readonly caller: ToolCaller;
  readonly stream: EventStream;
}

/** The notification for each field of the subscription request. */
const NOTIFICATIONS = lookup<ListChanged>({
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
});

/**
 * Sends the requested notifications on one stream until the client disconnects or the returned function is
 * called: https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/subscriptions
 */
export async function listenWithoutSession(parts: McpParts, request: ListenRequest): Promise<() => void> {
  const { id, call, endpoint, caller, stream } = request;
  const requested = optionalObject(call.params, 'notifications');
  const { capabilities, info } = await endpoint.describe(caller);
  const clientSubscriptions = createClientSubscriptions();
  const notify = (method: string, params: ShapeOfParams = {}): void => {
    const meta = isObject(params['_meta']) ? params['_meta'] : {};
    stream.send(notification(method, { ...params, _meta: { ...meta, [META_KEY.subscriptionId]: id } }));
  };
  const lists = Object.keys(NOTIFICATIONS).filter(
    (key) => requested[key] === true && isSupported(capabilities, key),
  );
  const forwarded = new Set(lists.map((key) => NOTIFICATIONS[key]));
  const listener: Listener = {
    server: endpoint.server,
    caller: () => caller,
    listChanged(method) {
      const fixed = endpoint.fixedTools && method === NOTIFICATIONS['toolsListChanged'];
      if (forwarded.has(method) && !fixed) notify(method);
    },
    message: () => undefined,
    taskChanged(server, user, params) {
      const task = parts.tasks.taskOf({ server, user, params });
      if (task) tasks?.changed(task);
    },
    updated(server, params) {
      const uri = clientSubscriptions.clientUri(server, String(params['uri']));
      if (uri !== undefined) notify('notifications/resources/updated', { ...params, uri });
    },
  };
  const tasks = await subscribeToTasks(parts, call, {
    endpoint,
    requested,
    send: (state) => notify('notifications/tasks', state),
  });
  const uris = await subscribeAll(parts, listener, call, { endpoint, clientSubscriptions, requested });
  notify('notifications/subscriptions/acknowledged', {
    notifications: {
      ...Object.fromEntries(lists.map((key) => [key, true])),
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
      ...(tasks && tasks.ids.length > 0 ? { taskIds: tasks.ids } : {}),
    },
  });
  const leave = parts.listeners.add(listener);
  const stop = (): void => {
    leave();
    tasks?.stop();
    parts.subscriptions.drop(listener);
  };
  if (call.signal.aborted) stop();
  else {
    call.signal.addEventListener('abort', stop, { once: true });
    tasks?.start();
  }
  return () => {
    stop();
    const _meta = { [META_KEY.subscriptionId]: id, [META_KEY.serverInfo]: info };
    stream.send(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } }));
    stream.end();
  };
}

/** Whether the endpoint has the capability that a field requires: `toolsListChanged` requires `tools`. */
const isSupported = (capabilities: ShapeOfParams, key: string): boolean =>
  capabilities[key.replace('ListChanged', '')] !== undefined;

interface SubscribeParts {
  readonly endpoint: McpEndpoint;
  readonly clientSubscriptions: ReturnType<typeof createClientSubscriptions>;
  readonly requested: ShapeOfParams;
}

/** Subscribes to resources. Resolves with the successfully subscribed URIs; failed ones are not acknowledged. */
async function subscribeAll(
  { subscriptions }: McpParts,
  listener: Listener,
  call: McpCall,
  { endpoint, clientSubscriptions, requested }: SubscribeParts,
): Promise<string[]> {
  const uris = textsIn(requested, 'resourceSubscriptions', 'URIs') ?? [];
  const acknowledged = await Promise.all(
    uris.map(async (uri) => {
      try {
        const target = await endpoint.targets.resource(call, uri);
        await subscriptions.subscribe(listener, call, target);
        clientSubscriptions.add(target, uri);
        return [uri];
      } catch {
        return [];
      }
    }),
  );
  return acknowledged.flat();
}

interface TaskListenParts extends Pick<SubscribeParts, 'endpoint' | 'requested'> {
  readonly send: (state: ShapeOfParams) => void;
}

/** Subscribes to the client's own tasks; undefined if it requests none. */
async function subscribeToTasks(
  { tasks }: McpParts,
  call: McpCall,
  { endpoint, requested, send }: TaskListenParts,
): Promise<TaskSubscription | undefined> {
  const ids = textsIn(requested, 'taskIds', 'task IDs');
  const get = endpoint.methods.get('tasks/get');
  if (!ids || !get) return undefined;
  return await tasks.subscribe(call, ids, { endpoint: endpoint.server, get, send });
}

/** Returns a list of texts in the subscription request; undefined if it is missing. */
function textsIn(requested: ShapeOfParams, key: string, what: string): readonly string[] | undefined {
  const texts = requested[key];
  if (texts === undefined) return undefined;
  if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return texts;
  throw new RpcError(RPC_CODE.invalidParams, `\`notifications.${key}\` must be a list of ${what}.`);
}
