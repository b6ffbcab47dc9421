import { type HttpListener, listenHttp } from '#serve/http/listen.ts';
import type { EncoderContext } from '../context.ts';
import { encoderHttp } from '../http/app.ts';
import { mcpApp, type McpRoutes, mcpRoutes } from '../mcp/routes.ts';
import type { Address } from './addresses.ts';
import { modelHostRules, type ServeSettings } from './settings.ts';

export interface HttpServing {
  readonly http: HttpListener;
  /** Ends the streams of MCP sessions. They would otherwise stay open until the sessions end. */
  readonly closeSessions: McpRoutes['close'];
}

/** Serves HTTP and MCP on an address. */
export async function serveHttp(
  context: EncoderContext,
  settings: ServeSettings,
  address: Address,
): Promise<HttpServing> {
  const { tls, maxBodyBytes, corsOrigins, metrics } = settings;
  const hostRules = modelHostRules(settings, address);
  const mcp = mcpRoutes(context, {
    ...hostRules,
    maxBodyBytes,
  });
  const apps = settings.mcpOnly
    ? { app: mcpApp(context, mcp.routes, { hostRules, corsOrigins, metrics }) }
    : encoderHttp(context, { maxBodyBytes, hostRules, metrics, mcp: mcp.routes });
  const http = await listenHttp({ ...apps, ...address, tls, lifecycle: context.kernel.lifecycle });
  return { http, closeSessions: mcp.close };
}
