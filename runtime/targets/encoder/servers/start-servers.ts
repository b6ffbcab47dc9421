import { systemClock } from '#platform/clock.ts';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import { createShutdown } from '#serve/program/shutdown.ts';
import type { EncoderContext } from '../context.ts';
import type { ServeSettings } from './settings.ts';

export interface RunningServers {
  /** The ports that the servers actually listen on. */
  readonly ports: { readonly http?: number | undefined; readonly grpc?: number | undefined };
  /** Finishes accepted requests and rejects new ones, then closes everything. */
  readonly stop: () => Promise<void>;
}

/** Loads the code of the servers. This takes about as long as opening a model in the worker threads. */
export async function loadServers({ http, grpc }: Pick<ServeSettings, 'http' | 'grpc'>): Promise<void> {
  if (http) await import('./serve-http.ts');
  if (grpc) await import('./serve-grpc.ts');
}

/** Starts a model's servers. Either all of them listen, or none does. */
export async function startServers(
  context: EncoderContext,
  settings: ServeSettings,
): Promise<RunningServers> {
  const { shutdownMs, shutdownDelayMs } = settings;
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
      const { serveHttp } = await import('./serve-http.ts');
      const { http, closeSessions } = await serveHttp(context, settings, settings.http);
      ports.http = http.port;
      closers.add(() => http.close(shutdown.graceMs()));
      // MCP sessions are closed before the server, because the server waits for their streams.
      closers.add(() => closeSessions());
    }
    if (settings.grpc) {
      const { serveGrpc } = await import('./serve-grpc.ts');
      const grpc = await serveGrpc(context, settings, settings.grpc);
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
