import type { Command } from '../../../serve/cli/command.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';
import { ENGINE_OPTIONS, SERVER_OPTIONS } from '../servers/options.ts';

/** `mcp`: the model as a tool for the client that started this process, or with --http for clients on the network. */
export function mcpCommand(modelPath: string): Command {
  return {
    summary: 'Serve the model over MCP: on stdin and stdout, or with --http on a port.',
    options: {
      ...withEnvironment('ENCODERFILE_MCP', {
        http: { help: 'Serve streamable HTTP at /mcp instead of stdin and stdout' },
        hostname: { value: 'host', help: 'With --http: address', fallback: '127.0.0.1' },
        port: { value: 'port', help: 'With --http: port; 0 takes a free one', fallback: '9100' },
      }),
      ...SERVER_OPTIONS,
      // The client shows what is on stderr to its user.
      'log-level': { ...SERVER_OPTIONS['log-level'], help: 'What to log on stderr', fallback: 'warn' },
      ...ENGINE_OPTIONS,
    },
    async run(invocation, output) {
      const { readAddress, readServerSettings } = await import('../servers/settings.ts');
      const settings = readServerSettings(invocation);
      if (!invocation.flag('http')) {
        const { runMcpStdio } = await import('../servers/run-mcp-stdio.ts');
        return await runMcpStdio(modelPath, settings, output);
      }
      const { runServers } = await import('../servers/run-servers.ts');
      const http = readAddress(invocation, 'hostname', 'port');
      return await runServers(modelPath, { ...settings, http, grpc: undefined, mcpOnly: true }, output);
    },
  };
}
