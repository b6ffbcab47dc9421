import type { Command } from '#serve/cli/command.ts';
import { DAEMON_OPTIONS } from '../servers/options.ts';
import { CONFIG_OPTIONS } from './config-options.ts';

/** `daemon`, alias `serve`: runs the servers behind the HTTP API until the process receives a stop signal. */
export const daemonCommand: Command = {
  summary: 'Run the configured MCP servers and serve them over HTTP and MCP.',
  options: { ...CONFIG_OPTIONS, ...DAEMON_OPTIONS },
  async run(invocation) {
    const { readDaemonSettings } = await import('../servers/settings.ts');
    const settings = readDaemonSettings(invocation, process.env);
    const { runManager } = await import('../servers/run-manager.ts');
    return await runManager(settings);
  },
};
