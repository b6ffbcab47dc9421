import { isObject } from '../../../core/is-object.ts';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { RequestId, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { FallbackServer } from '../../../serve/mcp/fallback-server.ts';
import { splitQualified } from '../calls/qualified-name.ts';
import type { Params } from '../upstream/connection.ts';
import type { McpClient } from './client.ts';
import type { ListChanged, Listener } from './listeners.ts';
import { isAtLeast, type LogLevel, parseLogLevel } from './log-levels.ts';
import { type McpCall, type Methods, requiredText } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import { createSubscribed } from './subscribed.ts';

/** The MCP server of one session. `client` tells who asks now. */
export async function openSessionServer(parts: McpParts, client: () => McpClient): Promise<FallbackServer> {
  const { interests, listeners, dispatch, context } = parts;
  const { endpoint, caller } = client();
  const { info, capabilities, instructions } = await endpoint.describe(caller);
  // The validator is of no use here; but without one, every server would make its own.
  const jsonSchemaValidator = new AjvJsonSchemaValidator();
  const server = new FallbackServer(info, { capabilities, instructions, jsonSchemaValidator });
  /** Calls without an answer, and the server each is for. */
  const running = new Map<RequestId, string | undefined>();
  const subscribed = createSubscribed();
  let level: LogLevel | undefined;

  const notify = (method: string, params?: Params, relatedRequestId?: RequestId): void => {
    const related = relatedRequestId === undefined ? {} : { relatedRequestId };
    // Whoever has no stream open misses what is sent to it.
    server.notification({ method, ...(params && { params }) }, related).catch(() => undefined);
  };
  const pending = new Set<ListChanged>();
  const announce = (): void => {
    for (const method of pending) notify(method);
    pending.clear();
  };
  const listener: Listener = {
    server: endpoint.server,
    caller: () => client().caller,
    listChanged(method) {
      if (endpoint.fixedTools && method === 'notifications/tools/list_changed') return;
      // One reload changes many servers.
      if (pending.size === 0) setImmediate(announce);
      pending.add(method);
    },
    message(from, params) {
      if (level !== undefined && !isAtLeast(params['level'], level)) return;
      // With the answer that it belongs to, if there is one, for not every client listens to more.
      const related = [...running].findLast(([, target]) => target === from)?.[0];
      const own = endpoint.server === undefined ? { ...params, logger: loggerName(from, params) } : params;
      notify('notifications/message', own, related);
    },
    updated(from, params) {
      const uri = subscribed.askedFor(from, String(params['uri']));
      if (uri !== undefined) notify('notifications/resources/updated', { ...params, uri });
    },
  };
  const methods: Methods = new Map([
    ...endpoint.methods,
    [
      'resources/subscribe',
      async (call) => {
        const uri = requiredText(call.params, 'uri');
        const target = await endpoint.targets.resource(call, uri);
        // A server may tell of an update before it answers.
        subscribed.add(target, uri);
        try {
          await interests.subscribe(listener, call, target);
        } catch (error) {
          subscribed.delete(target);
          throw error;
        }
        return {};
      },
    ],
    [
      'resources/unsubscribe',
      async (call) => {
        const target = await endpoint.targets.resource(call, requiredText(call.params, 'uri'));
        subscribed.delete(target);
        await interests.unsubscribe(listener, call, target);
        return {};
      },
    ],
    [
      'logging/setLevel',
      async (call) => {
        level = parseLogLevel(call.params['level']);
        await interests.setLevel(listener, call, level);
        return {};
      },
    ],
  ]);
  const serverOf = ({ name }: Params): string | undefined =>
    endpoint.server ?? splitQualified(String(name), context.calls.servers(client().caller))?.server;

  server.fallbackRequestHandler = async ({ id, method, params = {} }, extra) => {
    const { caller, requestId } = client();
    running.set(id, serverOf(params));
    try {
      const onProgress = progressTo(params, extra);
      return await dispatch(methods, method, { caller, requestId, params, signal: extra.signal, onProgress });
    } finally {
      running.delete(id);
    }
  };
  const leave = listeners.add(listener);
  server.onclose = () => {
    leave();
    interests.drop(listener);
  };
  server.onerror = (error) => context.kernel.log.debug({ err: error }, 'MCP');
  return server;
}

/** Reports go to the client under the token it chose. */
function progressTo(
  { _meta }: Params,
  { sendNotification }: RequestHandlerExtra<ServerRequest, ServerNotification>,
): McpCall['onProgress'] {
  const progressToken = isObject(_meta) ? _meta['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return ({ progress, ...rest }) => {
    const params = { ...rest, progress: Number(progress), progressToken };
    sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

const loggerName = (server: string, { logger }: Params): string =>
  typeof logger === 'string' ? `${server}/${logger}` : server;
