import { AppError } from '#contract/errors.ts';
import { openLogLines } from '#platform/log-lines.ts';
import { createLog, type Logger } from '#serve/log.ts';
import { stopSignal } from '#serve/program/signals.ts';
import { groupPath } from '../access/selection.ts';
import { managerAddress } from '../client/address.ts';
import { apiPath, createManagerClient } from '../client/manager-client.ts';
import { refuseUnknownServers } from './start-manager.ts';
import type { StdioProcess } from './stdio-process.ts';
import type { StdioSettings } from './stdio-settings.ts';

/**
 * Serves MCP on stdin and stdout until stdin ends or the process is stopped; resolves with the exit code.
 * Uses a running manager if there is one; otherwise starts the servers in this process.
 */
export async function runStdio(settings: StdioSettings): Promise<number> {
  const { signal, forget } = stopSignal();
  const lines = openLogLines(process.stderr);
  const { stdin, stdout } = process;
  const log = createLog(settings.logLevel, { write: lines.write });
  const io: StdioProcess = { stdin, stdout, signal, log, write: lines.write };
  try {
    const address = settings.local ? undefined : await findManager(settings, log);
    if (address) {
      const { serveManager } = await import('../client/bridge/serve-manager.ts');
      await serveManager(address, settings, io);
    } else {
      const { serveLocally } = await import('./serve-locally.ts');
      await serveLocally(settings, io);
    }
    return 0;
  } finally {
    await lines.flushed();
    forget();
  }
}

/** Returns the running manager's address; undefined if none is running and the command line does not set one. */
async function findManager(settings: StdioSettings, log: Logger): Promise<URL | undefined> {
  const address = await managerAddress(settings.url, settings.paths.config);
  const manager = createManagerClient(address, settings.apiKey);
  try {
    const servers = await manager.get(groupPath(settings.group) + apiPath('servers'));
    refuseUnknownServers(settings.selection, Array.isArray(servers) ? servers : []);
    return address;
  } catch (error) {
    if (settings.url !== undefined || !(error instanceof AppError)) throw error;
    if (error.code === 'UnavailableError') return undefined;
    if (error.code !== 'UpstreamError') throw error;
    log.warn(`${error.message} Starting the servers in this process instead.`);
    return undefined;
  } finally {
    await manager.close();
  }
}
