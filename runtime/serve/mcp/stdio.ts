import { configError } from '../../contract/errors.ts';
import { isInitialize, readInitialize, initializeResponse } from './initialize.ts';
import { createLineTransport, type LineTransportOptions } from './line-transport.ts';
import { createMcpSession } from './mcp-session.ts';
import type { PostAnswer } from './post-answer.ts';
import { BATCH_VERSION, type SessionVersion } from './protocol-version.ts';
import { type ClientMessage, readClientMessages } from './rpc-message.ts';
import type { SessionServer } from './session-server.ts';

export interface StdioOptions extends LineTransportOptions {
  /** Protocol version for clients that request an unknown one. Default: the newest. */
  readonly offeredVersion?: SessionVersion | undefined;
}

/**
 * Serves one client over stdin and stdout until it closes stdin and everything is answered, until it disconnects, or until
 * `signal` is aborted and earlier requests are answered. Rejects if output cannot be written, for example because the disk is
 * full.
 */
export async function serveMcpOverStdio(
  server: SessionServer<void>,
  { offeredVersion, ...options }: StdioOptions,
): Promise<void> {
  const lines = createLineTransport(options);
  const session = createMcpSession(server);
  let agreed: SessionVersion | undefined;
  const tell = (json: string): void => {
    // Write failures are reported through `gone`.
    lines.sendText(json).catch(() => undefined);
  };
  const settle = (_id: unknown, json?: string): void => {
    if (json !== undefined) tell(json);
  };
  lines.onmessage = (received) => {
    for (const message of readClientMessages(received) ?? []) {
      if (isInitialize(message)) {
        agreed = readInitialize(message, offeredVersion).version;
        tell(initializeResponse(message.id, agreed, server));
      } else session.take(message, undefined, { tell, settle, isLost: () => false });
    }
  };
  lines.onlist = (received) => {
    const messages = agreed === BATCH_VERSION ? readClientMessages(received) : undefined;
    if (!messages || messages.some(isInitialize)) return false;
    const answer = listAnswer(messages, tell);
    for (const message of messages) session.take(message, undefined, answer);
    return true;
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

/** Answers the requests of a list with a list, when all of them are answered or cancelled. */
function listAnswer(messages: readonly ClientMessage[], tell: (json: string) => void): PostAnswer {
  let left = messages.filter(({ kind }) => kind === 'request').length;
  const answers: string[] = [];
  return {
    tell,
    settle(_id, json) {
      if (json !== undefined) answers.push(json);
      left -= 1;
      if (left === 0 && answers.length > 0) tell(`[${answers.join(',')}]`);
    },
    isLost: () => false,
  };
}

/** A broken pipe means that the client has left; any other error with a code comes from the system. */
const isClientGone = (error: Error & { readonly code?: unknown }): boolean =>
  error.code === undefined || error.code === 'EPIPE' || error.code === 'ECONNRESET';
