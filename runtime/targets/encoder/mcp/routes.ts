import { Hono } from 'hono';
import { createMcpHttp, type McpHttp, type McpHttpOptions } from '../../../serve/mcp/streamable-http.ts';
import type { EncoderContext } from '../context.ts';
import { encoderMcpServers } from './server.ts';

export type McpRoutesOptions = Omit<McpHttpOptions, 'createServer' | 'cancelWhenGone'>;

export interface McpRoutes {
  readonly routes: Hono;
  readonly close: McpHttp['close'];
}

/** `/mcp`. Who may call at all is for the app to check that mounts it. */
export function mcpRoutes(context: EncoderContext, options: McpRoutesOptions): McpRoutes {
  const mcp: McpHttp = createMcpHttp({
    ...options,
    createServer: encoderMcpServers(context),
    // Running a model changes nothing.
    cancelWhenGone: true,
  });
  const routes = new Hono();
  routes.all('/mcp', (c) => mcp.handle(c.req.raw));
  return { routes, close: mcp.close };
}
