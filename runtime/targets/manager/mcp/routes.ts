import { type Context, Hono } from 'hono';
import type { DirectRoute } from '../../../serve/http/direct-route.ts';
import type { HostRules } from '../../../serve/http/host-rules.ts';
import type { ShellEnv } from '../../../serve/http/request-id.ts';
import { parseLossless } from '../../../core/json/lossless-json.ts';
import { answerRequest } from '../../../serve/http/exchange/fetch-exchange.ts';
import { createMcpHttp } from '../../../serve/mcp/streamable-http.ts';
import { createToolSearch } from '../calls/search.ts';
import type { ManagerContext } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { callerOf, GROUP_PATH, groupCallerOf } from '../http/env.ts';
import { isSameClient, type McpClient } from './client.ts';
import { ALL_SERVERS_PATH, directMessages, ONE_SERVER_PATH } from './direct.ts';
import { createDispatch } from './dispatch.ts';
import { createEndpoints } from './endpoint.ts';
import { createListAllServers } from './list-all-servers.ts';
import { createSharedSubscriptions } from './shared-subscriptions.ts';
import { createListeners } from './listeners.ts';
import type { McpParts } from './parts.ts';
import { createResourceIndex } from './resource-index.ts';
import { openSessionServer } from './session-server.ts';
import { createStatelessEndpoint } from './stateless.ts';

export interface ManagerMcpOptions extends HostRules {
  readonly maxBodyBytes?: number | undefined;
  /** Whether `/mcp` has two tools that search and call the tools of all servers, instead of these tools. */
  readonly search?: boolean | undefined;
  /** Page size of lists over all servers. */
  readonly pageSize?: number | undefined;
  /** Maximum time in milliseconds that these lists wait for one server. Default 10 s for its start, 5 s for its list. */
  readonly listTimeoutMs?: number | undefined;
  /** Time for a client without a session to respond to a request of a server. Default 5 minutes. */
  readonly inputTimeoutMs?: number | undefined;
}

export interface ManagerMcpRoutes {
  readonly routes: Hono<ShellEnv>;
  /** The same routes for requests that are answered without the HTTP framework. */
  readonly direct: readonly DirectRoute[];
  /** Finishes accepted requests, for two seconds by default; then closes all sessions. */
  readonly close: (graceMilliseconds?: number) => Promise<void>;
}

/** The routes `/mcp` for all servers and `/mcp/{server}` for one, and the same below `/groups/{group}`. The app that mounts them authenticates callers. */
export function managerMcpRoutes(context: ManagerContext, options: ManagerMcpOptions): ManagerMcpRoutes {
  const { search, pageSize, listTimeoutMs, inputTimeoutMs, ...rules } = options;
  const { calls } = context;
  const listAllServers = createListAllServers(context, listTimeoutMs);
  const index = createResourceIndex(listAllServers);
  const subscriptions = createSharedSubscriptions(context);
  const listeners = createListeners(context, { subscriptions, index });
  const parts: McpParts = {
    context,
    subscriptions,
    listeners,
    dispatch: createDispatch(context),
  };
  const stateless = createStatelessEndpoint(parts, {
    maxBodyBytes: options.maxBodyBytes,
    parseBody: parseLossless,
    inputTimeoutMs,
  });
  const mcp = createMcpHttp<McpClient>({
    ...rules,
    parseBody: parseLossless,
    createServer: (link, client) => openSessionServer(parts, link, client),
    canShare: isSameClient,
    stateless: stateless.handle,
  });
  const endpointFor = createEndpoints(context, {
    listAllServers,
    index,
    pageSize,
    search: search ? createToolSearch(calls) : undefined,
  });

  const routes = new Hono<ShellEnv>();
  const answer = (c: Context<ShellEnv>, caller: Caller, server?: string): Promise<Response> => {
    const client = {
      caller,
      requestId: c.get('requestId'),
      headers: c.req.raw.headers,
      endpoint: endpointFor(caller, server),
    };
    return answerRequest(c, (exchange) => mcp.handle(exchange, client));
  };
  routes.all(ALL_SERVERS_PATH, (c) => answer(c, callerOf(c)));
  routes.all(ONE_SERVER_PATH, (c) => answer(c, callerOf(c), c.req.param('server')));
  routes.all(`${GROUP_PATH}${ALL_SERVERS_PATH}`, (c) => answer(c, groupCallerOf(c, context.groups)));
  routes.all(`${GROUP_PATH}${ONE_SERVER_PATH}`, (c) =>
    answer(c, groupCallerOf(c, context.groups), c.req.param('server')),
  );
  return {
    routes,
    direct: directMessages({
      mcp,
      endpointFor,
      hostRules: rules,
      maxBodyBytes: options.maxBodyBytes,
    }),
    async close(graceMilliseconds) {
      stateless.close();
      await mcp.close(graceMilliseconds);
      listeners.close();
    },
  };
}
