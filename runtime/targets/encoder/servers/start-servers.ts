import { systemClock } from '../../../platform/clock.ts';
import { listenGrpc } from '../grpc/server/listen.ts';
import { listenHttp } from '../../../serve/http/listen.ts';
import { createCloserStack } from '../../../serve/program/closer-stack.ts';
import { createShutdown } from '../../../serve/program/shutdown.ts';
import type { EncoderContext } from '../context.ts';
import { encoderGrpcRoutes } from '../grpc/routes.ts';
import { encoderApp } from '../http/app.ts';
import { mcpApp } from '../mcp/app.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import type { Address, ServerSettings } from './settings.ts';

export interface RunningServers {
  /** The actual ports. */
  readonly ports: { readonly http?: number | undefined; readonly grpc?: number | undefined };
  /** Finishes accepted requests and rejects new ones, then closes everything. */
  readonly stop: () => Promise<void>;
}

export interface ServeSettings extends ServerSettings {
  readonly http: Address | undefined;
  readonly grpc: Address | undefined;
  /** Whether `/mcp` is the only route over HTTP. */
  readonly mcpOnly?: boolean;
}

/** Starts the servers of a model. Either all of them listen, or none does. */
export async function startServers(
  context: EncoderContext,
  settings: ServeSettings,
): Promise<RunningServers> {
  const { tls, maxBodyBytes, shutdownMs, shutdownDelayMs } = settings;
  const { kernel, engine } = context;
  const closers = createCloserStack();
  closers.add(async () => await kernel.tracer?.close(shutdown.graceMs()));
  closers.add(() => engine.close());
  const shutdown = createShutdown({
    program: 'server',
    lifecycle: kernel.lifecycle,
    closers,
    clock: systemClock,
    delayMs: shutdownDelayMs,
    drainMs: shutdownMs,
  });
  const ports: { http?: number; grpc?: number } = {};
  try {
    if (settings.http) {
      const mcp = mcpRoutes(context, {
        hostname: settings.http.hostname,
        allowedHosts: settings.allowedHosts,
        allowedOrigins: settings.corsOrigins,
        maxBodyBytes,
      });
      const { corsOrigins, metrics } = settings;
      const app = settings.mcpOnly
        ? mcpApp(context, mcp.routes, { corsOrigins, metrics })
        : encoderApp(context, { maxBodyBytes, corsOrigins, metrics, mcp: mcp.routes });
      const http = await listenHttp({ app, ...settings.http, tls, lifecycle: kernel.lifecycle });
      ports.http = http.port;
      closers.add(() => http.close(shutdown.graceMs()));
      // Streams of MCP sessions are open until their sessions end, so these end first.
      closers.add(() => mcp.close());
    }
    if (settings.grpc) {
      const routes = encoderGrpcRoutes(context, { maxMessageBytes: maxBodyBytes });
      const grpc = await listenGrpc({
        routes,
        lifecycle: kernel.lifecycle,
        log: kernel.log,
        metrics: kernel.metrics,
        tracer: kernel.tracer,
        ...settings.grpc,
        tls,
        closeTimeout: CLOSE_MILLISECONDS,
      });
      ports.grpc = grpc.port;
      closers.add(() => grpc.close());
    }
  } catch (error) {
    await closers.abandon();
    throw error;
  }
  kernel.lifecycle.ready();
  return {
    ports,
    stop: shutdown.run,
  };
}

/** Grace period for the last bytes of responses; all requests are answered by then. */
const CLOSE_MILLISECONDS = 2000;
