import type { Output } from '../../../serve/cli/command.ts';
import { runServer } from '../../../serve/program/run-server.ts';
import { banner } from './banner.ts';
import { startGateway, type StartOptions } from './start-gateway.ts';

/** Runs until the process is stopped; returns the exit code. SIGHUP reloads the configuration. */
export const runGateway = (options: Omit<StartOptions, 'write'>, output: Output): Promise<number> =>
  runServer({
    reloads: true,
    async start(write) {
      const running = await startGateway({ ...options, write });
      const { log, url, firstKey, reload, stop } = running;
      if (firstKey !== undefined) output.out(`${firstKey}\n`);
      return {
        log,
        banner: banner(running),
        facts: { url },
        // The reason of a failure is in the log.
        reload: () => void reload().catch(() => undefined),
        stop,
      };
    },
  });
