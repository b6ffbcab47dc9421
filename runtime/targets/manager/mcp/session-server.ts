import { OpenItems } from '#core/limits/open-items.ts';
import type { RequestId } from '#serve/mcp/rpc-message.ts';
import type { SessionLink, SessionRequest, SessionServer } from '#serve/mcp/session-server.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { INPUT_TIMEOUT_MS, type McpClient } from './client.ts';
import type { ListChanged, Listener } from './listeners.ts';
import { isAtLeast, type McpLogLevel, parseLogLevel } from './log-levels.ts';
import { createMessageView } from './message-view.ts';
import { type McpCall, type Methods, progressTo, type Method, requiredParam } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import { createClientSubscriptions, type ClientSubscriptions } from './client-subscriptions.ts';
import type { SharedSubscriptions } from './shared-subscriptions.ts';
import { forSession } from './tasks/task-capabilities.ts';
import type { Targets } from './targets.ts';

interface RunningCall {
  readonly server: string | undefined;
  readonly request: SessionRequest<McpClient>;
}

/** Opens one session's MCP server. */
export async function openSessionServer(
  parts: McpParts,
  link: SessionLink,
  { endpoint, caller }: McpClient,
): Promise<SessionServer<McpClient>> {
  const { subscriptions, listeners, longResults, tasks, dispatch } = parts;
  const { info, capabilities: described, instructions } = await endpoint.describe(caller);
  const capabilities = forSession(described);
  /** Requests in flight, each with its server. */
  const running = new OpenItems<RequestId, RunningCall>();
  const clientSubscriptions = createClientSubscriptions();
  let level: McpLogLevel | undefined;

  const pending = new Set<ListChanged>();
  const announce = (): void => {
    for (const method of pending) link.notify(method);
    pending.clear();
  };
  const view = createMessageView(endpoint);
  const listener: Listener = {
    server: endpoint.server,
    caller: () => caller,
    listChanged(method) {
      if (endpoint.fixedTools && method === 'notifications/tools/list_changed') return;
      // Batched, because one reload can change many servers.
      if (pending.size === 0) setImmediate(announce);
      pending.add(method);
    },
    message(from, params) {
      if (level !== undefined && !isAtLeast(params['level'], level)) return;
      // Sent on the stream of the related request if there is a related request, because not all
      // clients open the general stream.
      const related = running.values().findLast(({ server }) => server === from)?.request ?? link;
      related.notify('notifications/message', view(from, params));
    },
    taskChanged(from, user, params) {
      const status = tasks.notification({ server: from, user, params }, link);
      if (status) link.notify('notifications/tasks/status', status);
    },
    updated(from, params) {
      const uri = clientSubscriptions.clientUri(from, String(params['uri']));
      if (uri !== undefined) link.notify('notifications/resources/updated', { ...params, uri });
    },
  };
  const setLevel = async (call: McpCall): Promise<ShapeOfParams> => {
    level = parseLogLevel(call.params['level']);
    await subscriptions.setLevel(listener, call, level);
    return {};
  };
  const methods: Methods = new Map([
    ...endpoint.methods,
    ...sessionMethods({ subscriptions, listener, clientSubscriptions, targets: endpoint.targets }),
    ['logging/setLevel', setLevel],
  ]);

  const leave = listeners.add(listener);
  return {
    info: { ...info },
    capabilities,
    instructions,
    async answer(request) {
      const { id, method, params, client, signal } = request;
      const target = endpoint.targets.of(client.caller, params);
      const entry = { server: target?.server, request };
      running.set(id, entry);
      const requester = {
        identity: link,
        capabilities: link.capabilities,
        notify: link.notify,
        request: (name: string, input: ShapeOfParams | undefined, abort: AbortSignal) =>
          request.ask(name, input, { signal: abort, timeoutMs: INPUT_TIMEOUT_MS }),
      };
      const { requestId, headers, received } = client;
      const onProgress = progressTo(params, request.notify);
      try {
        const call = {
          caller: client.caller,
          requestId,
          headers,
          received,
          params,
          target,
          signal,
          session: link,
          capabilities: link.capabilities,
          onProgress,
          requester,
        };
        return await dispatch(methods, method, call);
      } finally {
        if (running.get(id) === entry) running.delete(id);
      }
    },
    close() {
      leave();
      subscriptions.drop(listener);
      longResults.drop(link);
    },
  };
}

interface SessionMethodParts {
  readonly subscriptions: SharedSubscriptions;
  readonly listener: Listener;
  readonly clientSubscriptions: ClientSubscriptions;
  readonly targets: Targets;
}

/** Methods that require a session, because subscriptions end with the session. */
function sessionMethods({
  subscriptions,
  listener,
  clientSubscriptions,
  targets,
}: SessionMethodParts): readonly (readonly [string, Method])[] {
  return [
    [
      'resources/subscribe',
      async (call) => {
        const uri = requiredParam(call.params, 'uri');
        const target = await targets.resource(call, uri);
        // Added before the request, because a server can send an update before its response.
        clientSubscriptions.add(target, uri);
        try {
          await subscriptions.subscribe(listener, call, target);
        } catch (error) {
          clientSubscriptions.delete(target);
          throw error;
        }
        return {};
      },
    ],
    [
      'resources/unsubscribe',
      async (call) => {
        const target = await targets.resource(call, requiredParam(call.params, 'uri'));
        clientSubscriptions.delete(target);
        await subscriptions.unsubscribe(listener, call, target);
        return {};
      },
    ],
  ];
}
