import { configError } from '../../../contract/errors.ts';
import type { Command } from '../../../serve/cli/command.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';
import { ENGINE_OPTIONS, SERVER_OPTIONS } from '../servers/options.ts';

/** `serve`: HTTP, gRPC and MCP until the process is told to stop. */
export function serveCommand(modelPath: string): Command {
  return {
    summary: 'Serve the model over HTTP, gRPC and MCP.',
    options: {
      ...withEnvironment('ENCODERFILE', {
        'grpc-hostname': { value: 'host', help: 'Address for gRPC', fallback: '[::]' },
        'grpc-port': { value: 'port', help: 'Port for gRPC; 0 takes a free one', fallback: '50051' },
        'http-hostname': { value: 'host', help: 'Address for HTTP and MCP', fallback: '0.0.0.0' },
        'http-port': { value: 'port', help: 'Port for HTTP and MCP; 0 takes a free one', fallback: '8080' },
        'disable-grpc': { help: 'Do not serve gRPC' },
        'disable-http': { help: 'Do not serve HTTP and MCP' },
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
