import { messageOf } from '#contract/errors.ts';
import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import type { CloseReason } from '../connection.ts';
import type { ActingHooks } from './user-tokens.ts';
import { openTokens, type SignIns } from './open-tokens.ts';
import { createRemoteClient, type RemoteClient, Unreachable } from './remote-client.ts';

/** The code that both remote transports share: an HTTP client, and closing the connection. */
export interface RemoteConnection {
  readonly client: RemoteClient;
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal;
  readonly closed: Promise<CloseReason>;
  end(message: string): void;
  /** Converts a request failure to an error, and closes the connection if the server is unreachable. */
  handleFailure(error: unknown): Error;
  /** Closes the connection after a final request, which must finish within the server's shutdown timeout. */
  close(endSession?: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

export function openRemoteConnection(
  launch: RemoteLaunch,
  timeouts: ServerTimeouts,
  signIns: SignIns | undefined,
  users: ActingHooks = {},
): RemoteConnection {
  const tokens = openTokens(launch, timeouts, signIns, users);
  const client = createRemoteClient(launch, timeouts, tokens);
  const { promise: closed, resolve } = Promise.withResolvers<CloseReason>();
  const abort = new AbortController();
  let ending: Promise<void> | undefined;

  const finish = async (reason: CloseReason): Promise<void> => {
    abort.abort(new Error(reason.message));
    await client.destroy();
    resolve(reason);
  };
  const end = (message: string): void => void (ending ??= finish({ message, expected: false }));
  const closeNow = async (endSession?: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    // Ending the session is a courtesy to the server, so a failure is ignored.
    await endSession?.(AbortSignal.timeout(timeouts.shutdown)).catch(() => undefined);
    await finish({ message: 'The connection was closed.', expected: true });
  };

  return {
    client,
    signal: abort.signal,
    closed,
    end,
    handleFailure(error) {
      if (error instanceof Unreachable) end(error.message);
      return error instanceof Error ? error : new Error(messageOf(error));
    },
    close: (endSession) => (ending ??= closeNow(endSession)),
  };
}
