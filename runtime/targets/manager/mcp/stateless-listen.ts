import { isObject } from '#core/json/is-object.ts';
import type { EventStream } from '#serve/mcp/event-stream.ts';
import { META_KEY } from '#serve/mcp/meta-key.ts';
import { notification } from '#serve/mcp/mcp-session.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { Caller } from '../access/caller.ts';
import type { Params } from '../shapes/shape.ts';
import type { Endpoint } from './endpoint.ts';
import type { ListChanged, Listener } from './listeners.ts';
import { type McpCall, optionalObject } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import { createClientSubscriptions } from './client-subscriptions.ts';

export interface ListenRequest {
  readonly id: string | number;
  readonly call: McpCall;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly stream: EventStream;
}

/** The notification that each member of the request subscribes to. */
const NOTIFICATIONS: Readonly<Record<string, ListChanged>> = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
};

/**
 * Sends the requested notifications on one stream, until the client disconnects or the returned function is called:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/subscriptions
 */
export async function listenWithoutSession(parts: McpParts, request: ListenRequest): Promise<() => void> {
  const { id, call, endpoint, caller, stream } = request;
  const requested = optionalObject(call.params, 'notifications');
  const { capabilities, info } = await endpoint.describe(caller);
  const clientSubscriptions = createClientSubscriptions();
  const notify = (method: string, params: Params = {}): void => {
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
    updated(server, params) {
      const uri = clientSubscriptions.clientUri(server, String(params['uri']));
      if (uri !== undefined) notify('notifications/resources/updated', { ...params, uri });
    },
  };
  const uris = await subscribeAll(parts, listener, call, { endpoint, clientSubscriptions, requested });
  notify('notifications/subscriptions/acknowledged', {
    notifications: {
      ...Object.fromEntries(lists.map((key) => [key, true])),
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    },
  });
  const leave = parts.listeners.add(listener);
  const stop = (): void => {
    leave();
    parts.subscriptions.drop(listener);
  };
  if (call.signal.aborted) stop();
  else call.signal.addEventListener('abort', stop, { once: true });
  return () => {
    stop();
    const _meta = { [META_KEY.subscriptionId]: id, [META_KEY.serverInfo]: info };
    stream.send(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } }));
    stream.end();
  };
}

/** Whether the endpoint has the capability of a member: `toolsListChanged` requires `tools`. */
const isSupported = (capabilities: Params, key: string): boolean =>
  capabilities[key.replace('ListChanged', '')] !== undefined;

interface SubscribeParts {
  readonly endpoint: Endpoint;
  readonly clientSubscriptions: ReturnType<typeof createClientSubscriptions>;
  readonly requested: Params;
}

/** Subscribes to resources. Resolves with the URIs of successful subscriptions; failed ones are not acknowledged. */
async function subscribeAll(
  { subscriptions }: McpParts,
  listener: Listener,
  call: McpCall,
  { endpoint, clientSubscriptions, requested }: SubscribeParts,
): Promise<string[]> {
  const uris = requested['resourceSubscriptions'] ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw new RpcError(
      RPC_CODE.invalidParams,
      '`notifications.resourceSubscriptions` must be a list of URIs.',
    );
  }
  const acknowledged = await Promise.all(
    uris.map(async (uri: string) => {
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
