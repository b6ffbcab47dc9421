import { configError } from '../../../contract/errors.ts';
import type { Command } from '../../../serve/cli/command.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';
import { ENGINE_OPTIONS, SERVER_OPTIONS } from '../servers/options.ts';

/** The `serve` command: serves HTTP, gRPC and MCP until the process is stopped. */
export function serveCommand(modelPath: string): Command {
  return {
    summary: 'Serve the model over HTTP, gRPC and MCP.',
    options: {
      ...withEnvironment('ENCODERFILE', {
        'grpc-hostname': { value: 'host', help: 'gRPC address to listen on', fallback: '[::]' },
        'grpc-port': {
          value: 'port',
          help: 'gRPC port to listen on; 0 selects a free port',
          fallback: '50051',
        },
        'http-hostname': {
          value: 'host',
          help: 'HTTP and MCP address to listen on',
          fallback: '0.0.0.0',
          // The names of this flag in the other programs.
          aliases: [{ name: 'host' }, { name: 'hostname' }],
        },
        'http-port': {
          value: 'port',
          help: 'HTTP and MCP port to listen on; 0 selects a free port',
          fallback: '8080',
          aliases: [{ name: 'port' }],
        },
        'disable-grpc': { help: 'Disable gRPC' },
        'disable-http': { help: 'Disable HTTP and MCP' },
      }),
      ...SERVER_OPTIONS,
      ...ENGINE_OPTIONS,
    },
    async run(invocation) {
      const [withHttp, withGrpc] = [!invocation.flag('disable-http'), !invocation.flag('disable-grpc')];
      if (!withHttp && !withGrpc) throw configError('Cannot disable both gRPC and HTTP');
      const { readAddress, readServerSettings } = await import('../servers/settings.ts');
      const settings = {
        ...readServerSettings(invocation),
        http: withHttp ? readAddress(invocation, 'http-hostname', 'http-port') : undefined,
        grpc: withGrpc ? readAddress(invocation, 'grpc-hostname', 'grpc-port') : undefined,
      };
      const { runServers } = await import('../servers/run-servers.ts');
      return await runServers(modelPath, settings);
    },
  };
}
