import { availableParallelism } from 'node:os';
import { configError } from '#contract/errors.ts';
import { numberIn } from '#core/numbers/number-in.ts';

/** A number of serving threads; `auto` leaves one processor for the main thread. */
export type ThreadCount = number | 'auto';

export const THREAD_LIMITS = { min: 1, max: 256 };
export const THREAD_RULE = `a whole number from ${THREAD_LIMITS.min} to ${THREAD_LIMITS.max}, or auto`;

/** Parses the value of the flag or variable; undefined if it is invalid. */
export const parseThreadCount = (text: string): ThreadCount | undefined =>
  text === 'auto' ? text : numberIn(text, { ...THREAD_LIMITS, whole: true });

/** Returns the number of threads for this machine. `source` is the name of the setting, for the error. */
export function resolveThreadCount(
  count: ThreadCount,
  source: string,
  machine: { readonly platform: string; readonly processors: number } = {
    platform: process.platform,
    processors: availableParallelism(),
  },
): number {
  const isSupported = machine.platform === 'linux';
  if (count === 'auto') return isSupported ? Math.max(1, machine.processors - 1) : 1;
  if (count === 1 || isSupported) return count;
  throw configError(
    `${source}: ${count} threads need a port that several threads can share, which only Linux provides. Set 1 or auto.`,
  );
}
