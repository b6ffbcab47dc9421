import { AppError } from '../../../contract/errors.ts';
import type { ForwardedStream } from './api.ts';
import { forwardPieces, type ForwardParts } from './forward-pieces.ts';

/**
 * A stream on its way to the client. Whoever reads it may stop at any time: the provider is told at once, and the accounts are
 * settled whether anybody reads on or not.
 */
export function forwardStream(parts: Omit<ForwardParts, 'hasLeft' | 'cutBy' | 'onEnd'>): ForwardedStream {
  const { reader, signal, clock, mostMs } = parts;
  let gone = false;
  let cut: AppError | undefined;
  const cutOff = (reason: AppError): void => {
    cut = reason;
    reader.destroy();
  };
  const disarm = clock.after(mostMs, () => {
    cutOff(new AppError('TimeoutError', `The answer took longer than ${mostMs / 1000} s.`));
  });
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
  return { next: () => pieces.next(), cancel, ended: ended.promise };
}
