import { Hono } from 'hono';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import { createMcpHttp, type McpHttp, type McpHttpOptions } from '#serve/mcp/streamable-http.ts';
import type { EncoderContext } from '../context.ts';
import { encoderMcpServer, OFFERED_VERSION } from './server.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { httpShell, type ShellOptions } from '#serve/http/shell.ts';

export type McpRoutesOptions = Omit<McpHttpOptions, 'createServer' | 'cancelWhenGone' | 'offeredVersion'>;

export interface McpRoutes {
  readonly routes: Hono;
  readonly close: McpHttp['close'];
}

/** Routes for `/mcp`. The app that mounts them authenticates the requests. */
export function mcpRoutes(context: EncoderContext, options: McpRoutesOptions): McpRoutes {
  const server = encoderMcpServer(context);
  const mcp: McpHttp = createMcpHttp({
    ...options,
    createServer: () => server,
    offeredVersion: OFFERED_VERSION,
    // Requests can be canceled on disconnect, because running a model has no side effects.
    cancelWhenGone: true,
  });
  const routes = new Hono();
  for (const path of ['/mcp', '/mcp/']) {
    routes.all(path, (c) => answerRequest(c, (exchange) => mcp.handle(exchange)));
  }
  return { routes, close: mcp.close };
}

/**
 * Creates an HTTP app that only serves `/mcp`, based on the shell that all HTTP servers of this
 * project share.
 */
export function mcpApp(
  context: EncoderContext,
  mcp: Hono,
  options: Required<Pick<ShellOptions, 'hostRules' | 'corsOrigins'>> & Pick<ShellOptions, 'metrics'>,
): Hono<ShellEnv> {
  const app = httpShell(context.kernel, { ...options, exposedHeaders: [MCP_SESSION_HEADER] });
  app.route('/', mcp);
  return app;
}

/**
 * Pages from other origins must be able to read the session ID, because they have to send it with
 * their next request.
 */
export const MCP_SESSION_HEADER = 'Mcp-Session-Id';
