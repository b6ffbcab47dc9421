import { configError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';
import { isNullDevice } from '#platform/null-device.ts';
import { createLineTransport, type LineTransportOptions } from './line-transport.ts';
import { createMessageSession, type ServerSource } from './message-session.ts';
import type { SessionVersion } from './protocol-version.ts';
import { readClientMessages } from './rpc-message.ts';

export interface StdioOptions<Client = void> extends LineTransportOptions {
  /** Protocol version for clients that request an unknown one. Default: the newest. */
  readonly offeredVersion?: SessionVersion | undefined;
  /** Returns the client of a message. */
  readonly client: () => Client;
}

/**
 * Serves one client over stdin and stdout until the client has closed stdin and all requests are
 * completed, until the client disconnects, or until `signal` is aborted and all earlier requests
 * are completed. Rejects if output cannot be written, for example because the disk is full, or
 * because the client disconnects before it has received all responses.
 */
export async function serveMcpOverStdio<Client = void>(
  source: ServerSource<Client>,
  { offeredVersion, client, ...options }: StdioOptions<Client>,
): Promise<void> {
  refuseDiscarded(options.stdout);
  const lines = createLineTransport(options);
  let isAnswerLost = false;
  const tell = (json: string): void => {
    // Write errors are reported through `gone`.
    lines.sendText(json).catch(() => {
      isAnswerLost ||= memberOf(parseJsonText(json), 'method') === undefined;
    });
  };
  const session = createMessageSession(source, { tell, offeredVersion });
  lines.onmessage = (received) => {
    session.take(readClientMessages(received) ?? [], false, client());
  };
  lines.onlist = (received) => {
    const messages = readClientMessages(received);
    return messages !== undefined && session.take(messages, true, client());
  };
  await lines.start();
  const answered = lines.finished.then(() => session.settled()).then(() => lines.flushed());
  const problem = await Promise.race([answered, lines.gone]);
  session.close();
  await lines.close();
  if (problem && !isClientGone(problem)) {
    throw configError(`Cannot write to stdout: ${problem.message}.`, problem);
  }
  if (isAnswerLost)
    throw configError(
      'Cannot write to stdout: the client closed it before it had read all responses.',
      problem,
    );
}

/** If stdout is closed, Node opens /dev/null instead. In both cases, no client can read the output. */
function refuseDiscarded(stdout: StdioOptions['stdout']): void {
  if (stdout !== process.stdout || !isNullDevice(1)) return;
  throw configError(
    'stdout is closed or /dev/null, so no client can read the responses. Start this command from an MCP client, or serve MCP over HTTP.',
  );
}

/**
 * A broken pipe means that the client has disconnected; any other error with a code comes from the
 * system.
 */
const isClientGone = (error: Error & { readonly code?: unknown }): boolean =>
  error.code === undefined || error.code === 'EPIPE' || error.code === 'ECONNRESET';
