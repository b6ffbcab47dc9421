import type { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { PieceSource } from '#serve/http/exchange.ts';
import { KEEP_ALIVE_TEXT } from '../../providers/streams/stream.ts';

export interface PendingStreamParts {
  readonly clock: Pick<Clock, 'after'>;
  /** How long a client waits without hearing anything. */
  readonly afterMs: number;
  /** Starts the response. */
  readonly begin: (source: PieceSource) => void;
  /** Called if the client disconnects while it waits. */
  readonly onGone: () => void;
}

/**
 * A stream that a client waits for. Models can think for minutes before their first word, and proxies close connections on which
 * nothing is sent, so the response starts with comments after a while. The answer, or an error as an event, follows in it.
 */
export interface PendingStream {
  /** Starts the wait. `errorText` writes an error as an event. */
  readonly arm: (errorText: (error: AppError) => string) => void;
  readonly disarm: () => void;
  readonly hasBegun: () => boolean;
  /** Continues with the answer. */
  readonly resolve: (events: PieceSource) => void;
  /** Ends with an error. */
  readonly fail: (error: AppError) => void;
}

export function createPendingStream({ clock, afterMs, begin, onGone }: PendingStreamParts): PendingStream {
  const source = Promise.withResolvers<PieceSource>();
  let disarm = (): void => undefined;
  let errorText = (_error: AppError): string => '';
  let hasBegun = false;

  const start = (): void => {
    hasBegun = true;
    let isFirst = true;
    const unread = source.promise.then((events) => events.unread ?? new Promise<never>(() => undefined));
    begin({
      async next() {
        if (isFirst) {
          isFirst = false;
          return { done: false, value: Buffer.from(KEEP_ALIVE_TEXT) };
        }
        return await (await source.promise).next();
      },
      async cancel() {
        onGone();
        await (await source.promise).cancel();
      },
      unread,
    });
  };
  return {
    arm(write) {
      errorText = write;
      disarm = clock.after(afterMs, start);
    },
    disarm: () => disarm(),
    hasBegun: () => hasBegun,
    resolve: (events) => source.resolve(events),
    fail: (error) => source.resolve(oneText(errorText(error))),
  };
}

/** A body that consists of one text. */
function oneText(text: string): PieceSource {
  let isRead = false;
  return {
    next() {
      if (isRead) return Promise.resolve({ done: true, value: undefined });
      isRead = true;
      return Promise.resolve({ done: false, value: Buffer.from(text) });
    },
    cancel: () => Promise.resolve(),
  };
}
