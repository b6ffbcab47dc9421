import { runServer } from '../../../serve/program/run-server.ts';
import { banner } from './banner.ts';
import { openLog } from './open-log.ts';
import type { FlagSettings } from './settings.ts';
import { startManager } from './start-manager.ts';

/** Runs until the process is stopped; returns the exit code. SIGHUP reloads the configuration and reopens the logs. */
export const runManager = (settings: FlagSettings): Promise<number> =>
  runServer({
    reloads: true,
    openLog: async (stderr) => await openLog(stderr, settings.logPath, settings.logRotation),
    async start(write) {
      const { url, context, stop, reopenAudit } = await startManager(settings, write);
      return {
        log: context.kernel.log,
        banner: banner(url, context.supervisor.names(), settings.dev),
        facts: { url },
        reload() {
          reopenAudit();
          // The reason of a failure is in the log.
          context.reloader.reload().catch(() => undefined);
        },
        stop,
      };
    },
  });
