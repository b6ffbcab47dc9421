import { untilStopped } from '../../../serve/signals.ts';
import { banner } from './banner.ts';
import { openLog } from './open-log.ts';
import type { FlagSettings } from './settings.ts';
import { startManager } from './start-manager.ts';

/** Runs until the process is told to stop; returns the exit code. SIGHUP reads the files again. */
export async function runManager(settings: FlagSettings): Promise<number> {
  let reload = (): void => {};
  const { stopped, forget } = untilStopped({ onReload: () => reload() });
  const sink = await openLog(settings.logPath, settings.logRotation);
  try {
    const { url, context, stop, reopenAudit } = await startManager(settings, sink.write);
    const { log } = context.kernel;
    reload = () => {
      sink.reopen();
      reopenAudit();
      // What is wrong is in the log.
      context.reloader.reload().catch(() => {});
    };
    process.stderr.write(banner(url, context.supervisor.names(), settings.dev));
    log.info({ url }, 'serving');
    const signal = await stopped;
    log.info({ signal }, 'stopping: answering what was accepted');
    await stop();
    log.info('stopped');
    return 0;
  } finally {
    await sink.close();
    forget();
  }
}
