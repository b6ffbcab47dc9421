import type { Command } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { STDIO_OPTIONS } from '../servers/stdio-options.ts';
import { DAEMON_CLIENT_OPTIONS } from './client-options.ts';

/** `stdio`: an MCP server on stdin and stdout, for clients that start a command. */
export const stdioCommand: Command = {
  summary: 'Serve the tools of all servers over stdin and stdout, for clients that start a command.',
  options: { ...DAEMON_CLIENT_OPTIONS, ...STDIO_OPTIONS },
  async run(invocation) {
    exactly(invocation);
    const { readStdioSettings } = await import('../servers/stdio-settings.ts');
    const settings = await readStdioSettings(invocation, process.env);
    const { runStdio } = await import('../servers/run-stdio.ts');
    return await runStdio(settings);
  },
};
