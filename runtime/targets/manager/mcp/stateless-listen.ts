import { isObject } from '../../../core/json/is-object.ts';
import type { EventStream } from '../../../serve/mcp/event-stream.ts';
import { META_KEY } from '../../../serve/mcp/meta-key.ts';
import { notification } from '../../../serve/mcp/mcp-session.ts';
import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import type { Caller } from '../access/caller.ts';
import type { Params } from '../shapes/shape.ts';
import type { Endpoint } from './endpoint.ts';
import type { ListChanged, Listener } from './listeners.ts';
import { type McpCall, optionalObject } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import { createSubscribed } from './subscribed.ts';

export interface ListenRequest {
  readonly id: string | number;
  readonly call: McpCall;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly stream: EventStream;
}

/** Which member of the request asks for which notification. */
const WANTED: Readonly<Record<string, ListChanged>> = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
};

/**
 * Tells a client over one stream what it asked to hear of, until it leaves or the function this resolves with is called:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/subscriptions
 */
export async function listenWithoutSession(parts: McpParts, request: ListenRequest): Promise<() => void> {
  const { id, call, endpoint, caller, stream } = request;
  const asked = optionalObject(call.params, 'notifications');
  const { capabilities, info } = await endpoint.describe(caller);
  const subscribed = createSubscribed();
  const notify = (method: string, params: Params = {}): void => {
    const meta = isObject(params['_meta']) ? params['_meta'] : {};
    stream.send(notification(method, { ...params, _meta: { ...meta, [META_KEY.subscriptionId]: id } }));
  };
  const lists = Object.keys(WANTED).filter((key) => asked[key] === true && offers(capabilities, key));
  const heard = new Set(lists.map((key) => WANTED[key]));
  const listener: Listener = {
    server: endpoint.server,
    caller: () => caller,
    listChanged(method) {
      const fixed = endpoint.fixedTools && method === WANTED['toolsListChanged'];
      if (heard.has(method) && !fixed) notify(method);
    },
    message: () => undefined,
    updated(server, params) {
      const uri = subscribed.askedFor(server, String(params['uri']));
      if (uri !== undefined) notify('notifications/resources/updated', { ...params, uri });
    },
  };
  const uris = await subscribeAll(parts, listener, call, { endpoint, subscribed, asked });
  notify('notifications/subscriptions/acknowledged', {
    notifications: {
      ...Object.fromEntries(lists.map((key) => [key, true])),
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    },
  });
  const leave = parts.listeners.add(listener);
  const stop = (): void => {
    leave();
    parts.interests.drop(listener);
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

/** `toolsListChanged` is of `tools`. */
const offers = (capabilities: Params, key: string): boolean =>
  capabilities[key.replace('ListChanged', '')] !== undefined;

interface SubscribeParts {
  readonly endpoint: Endpoint;
  readonly subscribed: ReturnType<typeof createSubscribed>;
  readonly asked: Params;
}

/** Resolves with the URIs that there is something to hear of. */
async function subscribeAll(
  { interests }: McpParts,
  listener: Listener,
  call: McpCall,
  { endpoint, subscribed, asked }: SubscribeParts,
): Promise<string[]> {
  const uris = asked['resourceSubscriptions'] ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw new RpcError(RPC_CODE.invalidParams, '`notifications.resourceSubscriptions` must be URIs.');
  }
  const honoured = await Promise.all(
    uris.map(async (uri: string) => {
      try {
        const target = await endpoint.targets.resource(call, uri);
        await interests.subscribe(listener, call, target);
        subscribed.add(target, uri);
        return [uri];
      } catch {
        // What cannot be heard of is not acknowledged.
        return [];
      }
    }),
  );
  return honoured.flat();
}
