import { configError } from '#contract/errors.ts';
import type { Command } from '#serve/cli/command.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { DEFAULT_HOSTNAMES, ENGINE_OPTIONS, SERVER_OPTIONS } from '../servers/options.ts';

/** The `serve` command: serves HTTP, gRPC and MCP until the process is stopped. */
export function serveModelCommand(modelPath: string): Command {
  return {
    summary: 'Serve the model over HTTP, gRPC and MCP.',
    options: {
      ...withEnvironment('ENCODERFILE', {
        'grpc-hostname': {
          value: 'host',
          help: 'gRPC address to listen on',
          defaultText: `${DEFAULT_HOSTNAMES.grpc}, or the HTTP address if it is a loopback address`,
        },
        'grpc-port': {
          value: 'port',
          help: 'gRPC port to listen on; 0 selects a free port',
          fallback: '50051',
        },
        'http-hostname': {
          value: 'host',
          help: 'HTTP and MCP address to listen on',
          defaultText: DEFAULT_HOSTNAMES.http,
        },
        'http-port': {
          value: 'port',
          help: 'HTTP and MCP port to listen on; 0 selects a free port',
          fallback: '8080',
        },
        local: { help: 'Listen on 127.0.0.1 only, for HTTP, MCP and gRPC' },
        'disable-grpc': { help: 'Disable gRPC' },
        'disable-http': { help: 'Disable HTTP and MCP' },
        'stop-with-stdin': {
          help: 'Stop when stdin is closed, so that the server does not outlive the program that started it',
        },
      }),
      ...SERVER_OPTIONS,
      ...ENGINE_OPTIONS,
    },
    async run(invocation) {
      if (invocation.flag('disable-http') && invocation.flag('disable-grpc')) {
        throw configError('Cannot disable both gRPC and HTTP');
      }
      const { readAddresses } = await import('../servers/addresses.ts');
      const { readServerSettings } = await import('../servers/settings.ts');
      const settings = { ...readServerSettings(invocation), ...readAddresses(invocation) };
      const { runServers } = await import('../servers/run-servers.ts');
      return await runServers(modelPath, settings, invocation.flag('stop-with-stdin'));
    },
  };
}
