import { configError } from '../../contract/errors.ts';
import { createLineTransport, type LineTransportOptions } from './line-transport.ts';
import type { McpServerLike } from './mcp-server-like.ts';
import { trackRequests } from './tracked-transport.ts';

/**
 * Serves one client over stdin and stdout until it has said all and everything is answered, or until it is gone, or until
 * `signal` is aborted and what was asked before is answered. Rejects if answers cannot be written, as on a full disk.
 */
export async function serveMcpOverStdio(server: McpServerLike, options: LineTransportOptions): Promise<void> {
  const lines = createLineTransport(options);
  const transport = trackRequests(lines);
  await server.connect(transport);
  const answered = lines.finished.then(() => transport.settled()).then(() => lines.flushed());
  const problem = await Promise.race([answered, lines.gone]);
  await transport.close();
  if (problem && !isClientGone(problem)) {
    throw configError(`Cannot write to standard output: ${problem.message}.`, problem);
  }
}

/** A broken pipe is the client's leaving; anything else that has a code is the system's refusal. */
const isClientGone = (error: Error & { readonly code?: unknown }): boolean =>
  error.code === undefined || error.code === 'EPIPE' || error.code === 'ECONNRESET';
