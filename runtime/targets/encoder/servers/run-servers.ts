import { openLogLines } from '../../../platform/log-lines.ts';
import { untilStopped } from '../../../serve/signals.ts';
import { banner } from './banner.ts';
import { openContext } from './open-context.ts';
import { type ServeSettings, startServers } from './start-servers.ts';

/** Serves until the process is stopped; returns the exit code. */
export async function runServers(modelPath: string, settings: ServeSettings): Promise<number> {
  const { stopped, forget } = untilStopped();
  const lines = openLogLines(process.stderr);
  try {
    const context = await openContext(modelPath, settings, lines.write);
    const servers = await startServers(context, settings);
    const { log } = context.kernel;
    lines.write(banner(context, settings, servers));
    log.info({ ...servers.ports, model: context.engine.manifest.name }, 'serving');
    const signal = await Promise.race([stopped, context.ended]);
    if (signal === undefined) {
      log.fatal(
        'stopping: all inference threads exited and the model cannot be reopened (was the file replaced or removed?)',
      );
    } else log.info({ signal }, 'stopping: finishing accepted requests');
    await servers.stop();
    log.info('stopped');
    return signal === undefined ? 1 : 0;
  } finally {
    await lines.flushed();
    forget();
  }
}
