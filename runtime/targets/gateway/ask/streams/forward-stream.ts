import { AppError } from '../../../../contract/errors.ts';
import type { ForwardedStream } from './stream.ts';
import { forwardPieces, type ForwardParts } from './forward-pieces.ts';

/** So long a client may not ask for the next piece of a stream that was cut off; then it gets no more. */
const UNREAD_MS = 2000;

/**
 * A stream on its way to the client. Whoever reads it may stop at any time: the provider is told at once, and the accounts are
 * settled whether anybody reads on or not.
 */
export function forwardStream(parts: Omit<ForwardParts, 'hasLeft' | 'cutBy' | 'onEnd'>): ForwardedStream {
  const { reader, signal, clock, mostMs } = parts;
  let gone = false;
  let isOver = false;
  let cut: AppError | undefined;
  let asked: Promise<unknown> | undefined;
  const cutOff = (reason: AppError): void => {
    if (cut) return;
    cut = reason;
    disarm();
    reader.destroy();
    void endUnread();
  };
  /** What a stream holds is let go also if nobody comes for the end of it. */
  const endUnread = async (): Promise<void> => {
    const before = asked;
    // Whoever waits for a piece does read.
    await before;
    if (isOver) return;
    disarm = clock.after(UNREAD_MS, () => {
      if (asked === before) {
        unread.resolve();
        void cancel();
      } else void endUnread();
    });
  };
  let disarm = clock.after(mostMs, () => {
    cutOff(new AppError('TimeoutError', `The answer took longer than ${mostMs / 1000} s.`));
  });
  const unread = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const leave = (): void => {
    const reason: unknown = signal.reason;
    if (reason instanceof AppError) cutOff(reason);
    else void cancel();
  };
  const pieces = forwardPieces({
    ...parts,
    hasLeft: () => gone,
    cutBy: () => cut,
    onEnd() {
      isOver = true;
      disarm();
      signal.removeEventListener('abort', leave);
      ended.resolve();
    },
  });
  const cancel = async (): Promise<void> => {
    gone = true;
    reader.destroy();
    // It notices, and settles its accounts.
    while (!(await pieces.next()).done);
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  const next = (): ReturnType<ForwardedStream['next']> => {
    const piece = pieces.next();
    asked = piece;
    return piece;
  };
  return { next, cancel, unread: unread.promise, ended: ended.promise };
}
