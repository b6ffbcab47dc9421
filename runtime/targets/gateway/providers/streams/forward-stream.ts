import { AppError } from '#contract/errors.ts';
import type { ForwardedStream } from './stream.ts';
import { forwardPieces, type ForwardParts } from './forward-pieces.ts';

/** How long the end of a stream that was cut off waits for a client that does not read. */
const UNREAD_MS = 2000;

/**
 * Forwards a stream to the client, which can stop reading at any time. Then the connection to the provider is closed immediately,
 * and the usage is settled in any case.
 */
export function forwardStream(
  parts: Omit<ForwardParts, 'isCancelled' | 'cutOffReason' | 'onEnd'>,
): ForwardedStream {
  const { reader, signal, clock, maxMs } = parts;
  let isCancelled = false;
  let isOver = false;
  let cut: AppError | undefined;
  let lastRequested: Promise<unknown> | undefined;
  const cutOff = (reason: AppError): void => {
    if (cut) return;
    cut = reason;
    disarm();
    reader.destroy();
    void endUnread();
  };
  /** Releases the resources of a stream that was cut off if the client does not read the end of it. */
  const endUnread = async (): Promise<void> => {
    const before = lastRequested;
    // A client that is waiting for a piece is still reading.
    await before;
    if (isOver) return;
    disarm = clock.after(UNREAD_MS, () => {
      if (lastRequested === before) {
        unread.resolve();
        void cancel();
      } else void endUnread();
    });
  };
  let disarm = clock.after(maxMs, () => {
    cutOff(new AppError('TimeoutError', `The answer took longer than ${maxMs / 1000} s.`));
  });
  const unread = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const abort = (): void => {
    const reason: unknown = signal.reason;
    if (reason instanceof AppError) cutOff(reason);
    else void cancel();
  };
  const pieces = forwardPieces({
    ...parts,
    isCancelled: () => isCancelled,
    cutOffReason: () => cut,
    onEnd() {
      isOver = true;
      disarm();
      signal.removeEventListener('abort', abort);
      ended.resolve();
    },
  });
  const cancel = async (): Promise<void> => {
    isCancelled = true;
    reader.destroy();
    // The generator then notices the cancellation and settles the usage.
    while (!(await pieces.next()).done);
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  const next = (): ReturnType<ForwardedStream['next']> => {
    const piece = pieces.next();
    lastRequested = piece;
    return piece;
  };
  return { next, cancel, unread: unread.promise, ended: ended.promise };
}
