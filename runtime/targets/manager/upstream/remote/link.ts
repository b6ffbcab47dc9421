import { messageOf } from '../../../../contract/errors.ts';
import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import type { CloseReason } from '../connection.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createRemoteClient, type RemoteClient, Unreachable } from './remote-client.ts';

/** What both transports to servers elsewhere have in common: an HTTP client, and an end. */
export interface Link {
  readonly client: RemoteClient;
  /** Aborted when it is over. */
  readonly over: AbortSignal;
  readonly closed: Promise<CloseReason>;
  end(message: string): void;
  /** What a failed exchange means: ends everything if the server is not there any more. */
  judge(error: unknown): Error;
  /** Says goodbye, in the time that a shutdown may take, and ends. */
  close(sayGoodbye?: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

export function openLink(launch: RemoteLaunch, timeouts: ServerTimeouts): Link {
  const tokens = launch.oauth && createAccessTokens(launch.url, launch.oauth, timeouts.init);
  const client = createRemoteClient(launch, timeouts, tokens);
  const { promise: closed, resolve } = Promise.withResolvers<CloseReason>();
  const over = new AbortController();
  let ending: Promise<void> | undefined;

  const finish = async (reason: CloseReason): Promise<void> => {
    over.abort(new Error(reason.message));
    await client.destroy();
    resolve(reason);
  };
  const end = (message: string): void => void (ending ??= finish({ message, expected: false }));
  const goodbye = async (say?: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    // It is a courtesy: whether it arrives changes nothing.
    await say?.(AbortSignal.timeout(timeouts.shutdown)).catch(() => undefined);
    await finish({ message: 'The connection was closed.', expected: true });
  };

  return {
    client,
    over: over.signal,
    closed,
    end,
    judge(error) {
      if (error instanceof Unreachable) end(error.message);
      return error instanceof Error ? error : new Error(messageOf(error));
    },
    close: (say) => (ending ??= goodbye(say)),
  };
}
