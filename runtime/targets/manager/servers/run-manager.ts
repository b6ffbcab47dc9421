import { openLineFile } from '#platform/line-file.ts';
import { type LogSink, runServer } from '#serve/program/run-server.ts';
import type { FlagSettings } from './settings.ts';
import { startManager } from './start-manager.ts';

/** Runs until the process is stopped; returns the exit code. SIGHUP reloads the configuration and reopens the logs. */
export const runManager = (settings: FlagSettings): Promise<number> =>
  runServer({
    reloads: true,
    openLog: async (stderr) => await openLog(stderr, settings),
    async start(write) {
      const { url, context, stop, reopenAudit } = await startManager(settings, write);
      return {
        log: context.kernel.log,
        banner: banner(url, context.supervisor.names(), settings.dev),
        facts: { url },
        watchdog: { timeoutMs: settings.watchdogMs, requests: context.kernel.lifecycle.inside },
        reload() {
          reopenAudit();
          // The reason for the failure is already in the log.
          context.reloader.reload().catch(() => undefined);
        },
        stop,
      };
    },
  });

/** Opens the log file. Without one, logs go to stderr, and the program reading stderr rotates them. */
async function openLog(
  stderr: Pick<LogSink, 'write'>,
  { logPath, logRotation }: Pick<FlagSettings, 'logPath' | 'logRotation'>,
): Promise<LogSink> {
  if (logPath === undefined) return { write: stderr.write, reopen() {}, close: () => Promise.resolve() };
  const file = await openLineFile(logPath, (problem) => stderr.write(`${problem}\n`), {
    rotation: logRotation,
  });
  return {
    write: (line) => file.write(line.endsWith('\n') ? line.slice(0, -1) : line),
    reopen: file.reopen,
    close: file.close,
  };
}

/** The text that a terminal shows once the manager is listening: its servers and URLs. */
function banner(url: string, servers: readonly string[], dev: boolean): string {
  const lines = [
    `mcp-manager runs ${servers.length} MCP server${servers.length === 1 ? '' : 's'}: ${servers.join(', ')}`,
    '',
    `  HTTP  ${url}`,
    `  MCP   ${url}/mcp`,
    ...(dev ? [`  API   ${url}/docs`, `  Spec  ${url}/openapi.json`, `  Stop  Ctrl-C`] : []),
  ];
  return `${lines.join('\n')}\n\n`;
}
