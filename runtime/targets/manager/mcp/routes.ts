import { type Context, Hono } from 'hono';
import type { DirectRoute } from '../../../serve/http/direct-route.ts';
import type { HostRules } from '../../../serve/http/host-rules.ts';
import type { ShellEnv } from '../../../serve/http/request-id.ts';
import { parseLossless } from '../../../core/json/lossless-json.ts';
import { answerRequest } from '../../../serve/http/exchange/fetch-exchange.ts';
import { createMcpHttp } from '../../../serve/mcp/streamable-http.ts';
import { createToolSearch } from '../calls/search.ts';
import type { ManagerContext } from '../context.ts';
import { callerOf } from '../http/env.ts';
import { type McpClient, mayGoOn } from './client.ts';
import { ALL, directMessages, ONE } from './direct.ts';
import { createDispatch } from './dispatch.ts';
import { createEndpoints } from './endpoint.ts';
import { createGather } from './gather.ts';
import { createInterests } from './interests.ts';
import { createListeners } from './listeners.ts';
import type { McpParts } from './parts.ts';
import { createResourceIndex } from './resource-index.ts';
import { openSessionServer } from './session-server.ts';
import { createStatelessEndpoint } from './stateless.ts';

export interface ManagerMcpOptions extends HostRules {
  readonly maxBodyBytes?: number | undefined;
  /** At `/mcp`, two tools to find and to call all others by. */
  readonly search?: boolean | undefined;
  /** How many items of all servers' lists make a page. */
  readonly pageSize?: number | undefined;
  /** Maximum time in milliseconds that those lists wait for one server. Default 10 s for its start, 5 s for its list. */
  readonly listTimeoutMs?: number | undefined;
  /** How long a client without a session may take to answer what a server asks. Default 5 minutes. */
  readonly askMilliseconds?: number | undefined;
}

export interface ManagerMcpRoutes {
  readonly routes: Hono<ShellEnv>;
  /** The same for requests that are answered without the app. */
  readonly direct: readonly DirectRoute[];
  /** Lets what was accepted be answered, for two seconds unless told otherwise; then ends all sessions. */
  readonly close: (graceMilliseconds?: number) => Promise<void>;
}

/** `/mcp` with all servers and `/mcp/{server}` with one. Who calls is for the app to find out that mounts it. */
export function managerMcpRoutes(context: ManagerContext, options: ManagerMcpOptions): ManagerMcpRoutes {
  const { search, pageSize, listTimeoutMs, askMilliseconds, ...rules } = options;
  const { calls } = context;
  const gather = createGather(context, listTimeoutMs);
  const index = createResourceIndex(gather);
  const interests = createInterests(context);
  const listeners = createListeners(context, { interests, index });
  const parts: McpParts = {
    context,
    interests,
    listeners,
    dispatch: createDispatch(context),
  };
  const stateless = createStatelessEndpoint(parts, {
    maxBodyBytes: options.maxBodyBytes,
    parseBody: parseLossless,
    askMilliseconds,
  });
  const mcp = createMcpHttp<McpClient>({
    ...rules,
    parseBody: parseLossless,
    createServer: (link, client) => openSessionServer(parts, link, client),
    mayShare: mayGoOn,
    stateless: stateless.handle,
  });
  const endpointFor = createEndpoints(context, {
    gather,
    index,
    pageSize,
    search: search ? createToolSearch(calls) : undefined,
  });

  const routes = new Hono<ShellEnv>();
  const answer = (c: Context<ShellEnv>, server?: string): Promise<Response> => {
    const caller = callerOf(c);
    const client = { caller, requestId: c.get('requestId'), endpoint: endpointFor(caller, server) };
    return answerRequest(c, (exchange) => mcp.handle(exchange, client));
  };
  routes.all(ALL, (c) => answer(c));
  routes.all(ONE, (c) => answer(c, c.req.param('server')));
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
