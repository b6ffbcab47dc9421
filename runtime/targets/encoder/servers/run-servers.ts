import { openLogLines } from '../../../platform/log-lines.ts';
import { exposureWarning } from '../../../serve/program/listen-policy.ts';
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
    const warning = warningOf(settings);
    if (warning !== undefined) log.warn(warning);
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

/** The default addresses are reachable from the network, as the contract of executables says (docs/decisions/0041). */
function warningOf({ apiKeys, http, grpc }: ServeSettings): string | undefined {
  const credential = { name: 'an API key', isSet: apiKeys.length > 0, remedy: 'Set --api-key' };
  return [http, grpc].flatMap((address) => {
    const warning = address && exposureWarning({ hostname: address.hostname, credential });
    return warning === undefined ? [] : [warning];
  })[0];
}
