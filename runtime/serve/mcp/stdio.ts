import { configError } from '../../contract/errors.ts';
import { isInitialize, readInitialize, initializeResponse } from './initialize.ts';
import { createLineTransport, type LineTransportOptions } from './line-transport.ts';
import { createMcpSession } from './mcp-session.ts';
import { readClientMessages } from './rpc-message.ts';
import type { SessionServer } from './session-server.ts';

/**
 * Serves one client over stdin and stdout until it closes stdin and everything is answered, until it disconnects, or until
 * `signal` is aborted and earlier requests are answered. Rejects if output cannot be written, for example because the disk is
 * full.
 */
export async function serveMcpOverStdio(
  server: SessionServer<void>,
  options: LineTransportOptions,
): Promise<void> {
  const lines = createLineTransport(options);
  const session = createMcpSession(server);
  const tell = (json: string): void => {
    // Write failures are reported through `gone`.
    lines.sendText(json).catch(() => undefined);
  };
  const settle = (_id: unknown, json?: string): void => {
    if (json !== undefined) tell(json);
  };
  lines.onmessage = (received) => {
    for (const message of readClientMessages(received) ?? []) {
      if (isInitialize(message))
        tell(initializeResponse(message.id, readInitialize(message).version, server));
      else session.take(message, undefined, { tell, settle, isLost: () => false });
    }
  };
  await lines.start();
  const answered = lines.finished.then(() => session.settled()).then(() => lines.flushed());
  const problem = await Promise.race([answered, lines.gone]);
  session.close();
  await lines.close();
  if (problem && !isClientGone(problem)) {
    throw configError(`Cannot write to stdout: ${problem.message}.`, problem);
  }
}

/** A broken pipe means that the client has left; any other error with a code comes from the system. */
const isClientGone = (error: Error & { readonly code?: unknown }): boolean =>
  error.code === undefined || error.code === 'EPIPE' || error.code === 'ECONNRESET';
