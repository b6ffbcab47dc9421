import type { Hono } from 'hono';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { httpShell, type ShellOptions } from '#serve/http/shell.ts';
import type { EncoderContext } from '../context.ts';

/** Serves only `/mcp`, in the shell that every HTTP server of this project has. */
export function mcpApp(
  context: EncoderContext,
  mcp: Hono,
  options: Required<Pick<ShellOptions, 'hostRules' | 'corsOrigins'>> & Pick<ShellOptions, 'metrics'>,
): Hono<ShellEnv> {
  const app = httpShell(context.kernel, { ...options, exposedHeaders: [MCP_SESSION_HEADER] });
  app.route('/', mcp);
  return app;
}

/** Pages of other origins must be able to read it for their next request. */
export const MCP_SESSION_HEADER = 'Mcp-Session-Id';
