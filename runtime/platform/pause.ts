import type { Clock } from './clock.ts';

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
