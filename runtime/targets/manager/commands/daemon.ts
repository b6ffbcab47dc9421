import type { Command } from '../../../serve/cli/command.ts';
import { DAEMON_OPTIONS } from '../servers/options.ts';
import { CONFIG_OPTIONS } from './config-options.ts';

/** `daemon`, also called `serve`: keeps the servers running behind the HTTP API until the process is told to stop. */
export const daemonCommand: Command = {
  summary: 'Keep the configured MCP servers running and serve them over HTTP and MCP.',
  options: { ...CONFIG_OPTIONS, ...DAEMON_OPTIONS },
  async run(invocation) {
    const { readDaemonSettings } = await import('../servers/settings.ts');
    const settings = readDaemonSettings(invocation, process.env);
    const { runManager } = await import('../servers/run-manager.ts');
    return await runManager(settings);
  },
};
