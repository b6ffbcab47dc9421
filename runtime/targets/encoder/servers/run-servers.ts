import type { Output } from '../../../serve/cli/command.ts';
import { untilStopped } from '../../../serve/signals.ts';
import { banner } from './banner.ts';
import { openContext } from './open-context.ts';
import { type ServeSettings, startServers } from './start-servers.ts';

/** Serves until the process is told to stop; returns the exit code. */
export async function runServers(
  modelPath: string,
  settings: ServeSettings,
  output: Output,
): Promise<number> {
  const { stopped, forget } = untilStopped();
  try {
    const context = await openContext(modelPath, settings, output.err);
    const servers = await startServers(context, settings);
    const { log } = context.kernel;
    output.err(banner(context, settings, servers));
    log.info({ ...servers.ports, model: context.engine.manifest.name }, 'serving');
    log.info({ signal: await stopped }, 'stopping: answering what was accepted');
    await servers.stop();
    log.info('stopped');
    return 0;
  } finally {
    forget();
  }
}
