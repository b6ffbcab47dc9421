import { configError } from '#contract/errors.ts';
import type { Launch, ServerTimeouts } from '../config/spec.ts';
import { openProcess } from './process/process-transport.ts';
import type { Transport, TransportHooks } from './transport.ts';

export async function openTransport(
  launch: Launch,
  timeouts: ServerTimeouts,
  hooks: TransportHooks,
): Promise<Transport> {
  if (launch.kind === 'unusable') throw configError(launch.problem);
  if (launch.kind === 'process') {
    const { integrity, env, cwd } = launch;
    if (integrity) {
      const { verifyIntegrity } = await import('./process/package-integrity.ts');
      await verifyIntegrity(integrity, { env, cwd, timeoutMs: timeouts.init });
    }
    return openProcess(launch, timeouts.shutdown, hooks);
  }
  // Imported on demand, because most managers only run child processes.
  if (launch.transport === 'http') {
    const { openStreamableHttp } = await import('./remote/streamable-http.ts');
    return openStreamableHttp(launch, timeouts, hooks);
  }
  const { openServerSentEvents } = await import('./remote/server-sent-events.ts');
  return openServerSentEvents(launch, timeouts, hooks);
}
