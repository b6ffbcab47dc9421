import { isLoopbackHost } from '#serve/http/request-head.ts';
import type { ServeSettings } from './settings.ts';

/** Warnings for users if other machines can use a server without a key. */
export interface ExposureNotice {
  /** Lines of the banner. */
  readonly lines: readonly string[];
  /** The same warning as a line for the log. */
  readonly warning: string;
}

/**
 * If other machines can reach the server without an API key, returns a warning with how to restrict
 * access. By default, other machines can reach the server, as the contract requires
 * (docs/decisions/0142).
 */
export function exposureNotice({
  apiKeys,
  http,
  grpc,
  mcpOnly,
}: Pick<ServeSettings, 'apiKeys' | 'http' | 'grpc' | 'mcpOnly'>): ExposureNotice | undefined {
  if (apiKeys.length > 0) return undefined;
  const protocols = [
    ...(http && !isLoopbackHost(http.hostname) ? (mcpOnly ? ['MCP'] : ['HTTP', 'MCP']) : []),
    ...(grpc && !isLoopbackHost(grpc.hostname) ? ['gRPC'] : []),
  ];
  if (protocols.length === 0) return undefined;
  const last = protocols.pop();
  const all = protocols.length === 0 ? last : `${protocols.join(', ')} and ${last}`;
  const fact = `No API key is set, so anyone who can reach this machine over the network can use this model over ${all}.`;
  const local = mcpOnly ? '--host 127.0.0.1' : '--local, or ENCODERFILE_HTTP_HOSTNAME=127.0.0.1';
  return {
    lines: [
      `  ${fact}`,
      `  To accept local requests only:  ${local}`,
      '  To require an API key:          ENCODERFILE_API_KEY, or --api-key-file',
    ],
    warning: `${fact} To accept local requests only, use ${local}. To require an API key, set ENCODERFILE_API_KEY or --api-key-file.`,
  };
}
