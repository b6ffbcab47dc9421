import { AppError } from '#contract/errors.ts';
import { type Clock, systemClock } from './clock.ts';

interface WaitOptions {
  readonly clock?: Clock | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Creates the error to throw on timeout. */
  readonly late: () => Error;
}

/** Waits for a promise with a timeout and cancellation; leaves no timer and no listener behind. */
export async function waitFor<Value>(
  promise: Promise<Value>,
  { clock = systemClock, timeoutMs, signal, late }: WaitOptions,
): Promise<Value> {
  const given = Promise.withResolvers<never>();
  const leave = (): void => given.reject(clientDisconnected());
  if (signal?.aborted) throw clientDisconnected();
  signal?.addEventListener('abort', leave, { once: true });
  const forget = clock.after(timeoutMs, () => given.reject(late()));
  try {
    return await Promise.race([promise, given.promise]);
  } finally {
    forget();
    signal?.removeEventListener('abort', leave);
  }
}

export const clientDisconnected = (): AppError => new AppError('CancelledError', 'Client disconnected.');
