import { type Command, type Invocation, UsageError } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { ENGINE_OPTIONS, SERVER_OPTIONS } from '../servers/options.ts';

/** The `mcp` command: serves the model as an MCP tool on stdio, or over HTTP with --http. */
export function mcpCommand(modelPath: string): Command {
  return {
    summary: 'Serve the model over MCP, on stdio or over HTTP (--http).',
    options: {
      ...withEnvironment('ENCODERFILE_MCP', {
        http: { help: 'Serve streamable HTTP at /mcp instead of stdio' },
        ...commonOptions({
          host: { help: 'With --http: address to listen on', fallback: '127.0.0.1' },
          port: { help: 'With --http: port to listen on; 0 selects a free port', fallback: '9100' },
        }),
      }),
      ...SERVER_OPTIONS,
      // Many MCP clients show the output on stderr to their users.
      'log-level': { ...SERVER_OPTIONS['log-level'], help: 'Log level; logs go to stderr', fallback: 'warn' },
      ...ENGINE_OPTIONS,
    },
    async run(invocation) {
      const isHttp = invocation.flag('http');
      if (!isHttp) refuseHttpOptions(invocation);
      const { readServerSettings } = await import('../servers/settings.ts');
      const settings = readServerSettings(invocation);
      if (!isHttp) {
        const { runMcpStdio } = await import('../servers/run-mcp-stdio.ts');
        return await runMcpStdio(modelPath, settings);
      }
      const { readAddress } = await import('../servers/addresses.ts');
      const { runServers } = await import('../servers/run-servers.ts');
      const http = readAddress(invocation, 'host', 'port');
      return await runServers(modelPath, { ...settings, http, grpc: undefined, mcpOnly: true });
    },
  };
}

const HTTP_OPTIONS = [
  'host',
  'port',
  'cert-file',
  'key-file',
  'api-key',
  'api-key-file',
  'cors-origins',
  'allowed-hosts',
  'max-body',
];

/**
 * Rejects HTTP flags without --http, because the user would wait for a port that is never opened.
 * HTTP settings in environment variables are not rejected, because a user can set them for both modes.
 */
function refuseHttpOptions(invocation: Invocation): void {
  const name = HTTP_OPTIONS.find((option) => invocation.given(option));
  if (name === undefined) return;
  const flag = invocation.source(name);
  throw new UsageError(`${flag} requires --http. Add --http, or remove ${flag} to serve on stdio.`);
}
