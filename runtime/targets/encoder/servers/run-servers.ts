import { runServer } from '#serve/program/run-server.ts';
import { banner } from './banner.ts';
import { exposureNotice } from './exposure.ts';
import { openContext } from './open-context.ts';
import type { ServeSettings } from './settings.ts';
import { loadServers, startServers } from './start-servers.ts';

/** Serves until the process is stopped; returns the exit code. */
export const runServers = (modelPath: string, settings: ServeSettings): Promise<number> =>
  runServer({
    reloads: false,
    async start(write) {
      const context = await openContext(modelPath, settings, write, () => loadServers(settings));
      const notice = exposureNotice(settings);
      const { ports, stop } = await startServers(context, settings);
      return {
        log: context.kernel.log,
        banner: banner(context, settings, ports),
        facts: { ...ports, model: context.engine.manifest.name },
        warnings: notice ? [notice.warning] : [],
        watchdog: { timeoutMs: settings.watchdogMs, requests: context.kernel.lifecycle.inside },
        failed: context.ended.then(() => MODEL_ENDED),
        stop,
      };
    },
  });

const MODEL_ENDED =
  'all inference threads exited and the model cannot be reopened (was the file replaced or removed?)';
