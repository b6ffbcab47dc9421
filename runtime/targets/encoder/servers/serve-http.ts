import { type HttpListener, listenHttp } from '../../../serve/http/listen.ts';
import type { EncoderContext } from '../context.ts';
import { encoderApp } from '../http/app.ts';
import { directRequests } from '../http/direct-requests.ts';
import { mcpApp } from '../mcp/app.ts';
import { type McpRoutes, mcpRoutes } from '../mcp/routes.ts';
import type { Address, ServeSettings } from './settings.ts';

export interface HttpServing {
  readonly http: HttpListener;
  /** Ends the streams of MCP sessions, which are open until their sessions end. */
  readonly closeSessions: McpRoutes['close'];
}

/** Serves HTTP and MCP at an address. */
export async function serveHttp(
  context: EncoderContext,
  settings: ServeSettings,
  address: Address,
): Promise<HttpServing> {
  const { tls, maxBodyBytes, corsOrigins, metrics } = settings;
  const mcp = mcpRoutes(context, {
    hostname: address.hostname,
    allowedHosts: settings.allowedHosts,
    allowedOrigins: corsOrigins,
    maxBodyBytes,
  });
  const app = settings.mcpOnly
    ? mcpApp(context, mcp.routes, { corsOrigins, metrics })
    : encoderApp(context, { maxBodyBytes, corsOrigins, metrics, mcp: mcp.routes });
  const direct = settings.mcpOnly ? undefined : directRequests(context, { maxBodyBytes });
  const http = await listenHttp({ app, direct, ...address, tls, lifecycle: context.kernel.lifecycle });
  return { http, closeSessions: mcp.close };
}
