import { Hono } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import type { HostRules } from '../../../serve/http/host-rules.ts';
import type { ShellEnv } from '../../../serve/http/request-id.ts';
import { parseLossless } from '../../../core/lossless-json.ts';
import { createMcpHttp } from '../../../serve/mcp/streamable-http.ts';
import { createToolSearch } from '../calls/search.ts';
import type { ManagerContext } from '../context.ts';
import { callerOf } from '../http/env.ts';
import { type McpClient, mayShareSession } from './client.ts';
import { createDispatch } from './dispatch.ts';
import { allServers, type Endpoint, oneServer } from './endpoint.ts';
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
  /** How long those lists wait for one server, in milliseconds. Default 10 s. */
  readonly listTimeoutMs?: number | undefined;
}

export interface ManagerMcpRoutes {
  readonly routes: Hono<ShellEnv>;
  /** Lets what was accepted be answered, for two seconds unless told otherwise; then ends all sessions. */
  readonly close: (graceMilliseconds?: number) => Promise<void>;
}

/** `/mcp` with all servers and `/mcp/{server}` with one. Who calls is for the app to find out that mounts it. */
export function managerMcpRoutes(context: ManagerContext, options: ManagerMcpOptions): ManagerMcpRoutes {
  const { search, pageSize, listTimeoutMs, ...rules } = options;
  const gather = createGather(context, listTimeoutMs);
  const index = createResourceIndex(gather);
  const interests = createInterests(context);
  const listeners = createListeners(context, { interests, index });
  const parts: McpParts = { context, interests, listeners, dispatch: createDispatch(context) };
  const stateless = createStatelessEndpoint(parts, {
    maxBodyBytes: options.maxBodyBytes,
    parseBody: parseLossless,
  });
  const all = allServers(context, {
    gather,
    index,
    pageSize,
    search: search ? createToolSearch(context.calls) : undefined,
  });
  const mcp = createMcpHttp<McpClient>({
    ...rules,
    parseBody: parseLossless,
    createServer: (client) => openSessionServer(parts, client),
    mayShare: mayShareSession,
    stateless: stateless.handle,
  });

  const routes = new Hono<ShellEnv>();
  const client = (c: Parameters<typeof callerOf>[0], endpoint: Endpoint): McpClient => ({
    caller: callerOf(c),
    requestId: c.get('requestId'),
    endpoint,
  });
  routes.all('/mcp', (c) => mcp.handle(c.req.raw, client(c, all)));
  routes.all('/mcp/:server', (c) => {
    const caller = callerOf(c);
    const name = context.supervisor.get(c.req.param('server'))?.name;
    // Whoever may not use a server is not told whether it is there.
    if (name === undefined || !context.calls.servers(caller).includes(name)) {
      throw new AppError('NotFoundError', `server not found: ${c.req.param('server')}`);
    }
    return mcp.handle(c.req.raw, client(c, oneServer(context, name)));
  });
  return {
    routes,
    async close(graceMilliseconds) {
      stateless.close();
      await mcp.close(graceMilliseconds);
      listeners.close();
    },
  };
}
