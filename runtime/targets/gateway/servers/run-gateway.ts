import { openLogLines } from '../../../platform/log-lines.ts';
import type { Output } from '../../../serve/cli/command.ts';
import { untilStopped } from '../../../serve/signals.ts';
import { banner } from './banner.ts';
import { startGateway, type StartOptions } from './start-gateway.ts';

/** Runs until the process is told to stop; returns the exit code. SIGHUP reads the configuration again. */
export async function runGateway(options: Omit<StartOptions, 'write'>, output: Output): Promise<number> {
  let reload = (): void => {};
  const { stopped, forget } = untilStopped({ onReload: () => reload() });
  const lines = openLogLines(process.stderr);
  try {
    const running = await startGateway({ ...options, write: lines.write });
    const { log, url, firstKey } = running;
    if (firstKey !== undefined) output.out(`${firstKey}\n`);
    // What is wrong is in the log.
    reload = () => void running.reload().catch(() => undefined);
    process.stderr.write(banner(running));
    log.info({ url }, 'serving');
    const signal = await stopped;
    log.info({ signal }, 'stopping: answering what was accepted');
    await running.stop();
    log.info('stopped');
    return 0;
  } finally {
    await lines.flushed();
    forget();
  }
}
