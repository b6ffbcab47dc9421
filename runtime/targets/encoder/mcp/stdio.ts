import type { LineTransportOptions } from '#serve/mcp/line-transport.ts';
import { serveMcpOverStdio } from '#serve/mcp/stdio.ts';
import type { EncoderContext } from '../context.ts';
import { encoderMcpServer, OFFERED_VERSION } from './server.ts';

/** Serves the model to a single client on stdin and stdout. Resolves when the session is over. */
export function serveStdio(context: EncoderContext, options: LineTransportOptions): Promise<void> {
  return serveMcpOverStdio(encoderMcpServer(context), {
    ...options,
    offeredVersion: OFFERED_VERSION,
    client: () => undefined,
  });
}
