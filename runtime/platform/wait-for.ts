import type { Cancellation } from '#core/limits/cancellation.ts';
import { AppError } from '#contract/errors.ts';
import { type Clock, systemClock } from './clock.ts';
import { setTimeout as sleep, setImmediate as immediate } from 'node:timers/promises';

interface WaitOptions {
  readonly clock?: Clock | undefined;
  readonly timeoutMs: number;
  readonly signal?: Cancellation | undefined;
  /** Creates the error to throw on timeout. */
  readonly late: () => Error;
}

/**
 * Waits for a promise with a timeout and a cancellation signal. Always removes its timer and its
 * listener.
 */
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

/** Whether a promise settles in time. Rejects if the promise rejects. Always removes its timer. */
export async function settlesWithin(
  patienceMs: number,
  promise: Promise<unknown>,
  clock: Clock = systemClock,
): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const forget = clock.after(patienceMs, () => resolve(false));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    forget();
  }
}

const LOOK_AGAIN_MS = 10;

/** Polls for a system state that no event reports. Returns whether it was reached within `patienceMs`. */
export async function becomesTrue(patienceMs: number, isTrue: () => boolean): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (!isTrue()) {
    if (performance.now() >= deadline) return false;
    await sleep(LOOK_AGAIN_MS);
  }
  return true;
}

/** Resolves after a delay, or as soon as the signal is aborted. */
export async function pause(milliseconds: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const disarm = clock.after(milliseconds, wake);
  signal.addEventListener('abort', wake, { once: true });
  await promise;
  disarm();
  signal.removeEventListener('abort', wake);
}

/**
 * Resolves after Node has polled the system at least once: by then, it has read all data that had
 * arrived, and accepted a waiting connection.
 */
export async function afterPoll(): Promise<void> {
  // The first poll may have happened before this call, in the same turn of the event loop.
  await immediate();
  await immediate();
}
