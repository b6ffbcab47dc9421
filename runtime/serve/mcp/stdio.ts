import { createLineTransport, type LineTransportOptions } from './line-transport.ts';
import type { McpServerLike } from './mcp-server-like.ts';
import { trackRequests } from './tracked-transport.ts';

/**
 * Serves one client over stdin and stdout until it has said all and everything is answered, or until it is gone, or until
 * `signal` is aborted and what was asked before is answered.
 */
export async function serveMcpOverStdio(server: McpServerLike, options: LineTransportOptions): Promise<void> {
  const lines = createLineTransport(options);
  const transport = trackRequests(lines);
  await server.connect(transport);
  const answered = lines.finished.then(() => transport.settled()).then(() => lines.flushed());
  await Promise.race([answered, lines.gone]);
  await transport.close();
}
