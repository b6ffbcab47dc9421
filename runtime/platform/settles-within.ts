import { type Clock, systemClock } from './clock.ts';

/** Whether a promise settles in time; leaves no timer behind. Rejects if the promise rejects. */
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
