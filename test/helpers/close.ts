import { expect } from 'vitest';

/** What float32 kernels of different libraries may differ by. */
export const TOLERANCE = 1e-5;

/** How far two lists of numbers are apart at most; infinitely, if they are not of one length or empty. */
export function largestDifference(actual: readonly number[] = [], expected: readonly number[]): number {
  if (actual.length !== expected.length || actual.length === 0) return Infinity;
  return Math.max(...actual.map((value, at) => Math.abs(value - (expected[at] ?? Number.NaN))));
}

/** Expects numbers to be those of another library. `what` is in the message about those that are not. */
export function expectClose(
  actual: readonly number[] | undefined,
  expected: readonly number[] | undefined,
  what: string,
  tolerance = TOLERANCE,
): void {
  expect(actual?.length, what).toBe(expected?.length);
  if (!actual || !expected || expected.length === 0) return;
  expect(largestDifference(actual, expected), `greatest difference in ${what}`).toBeLessThan(tolerance);
}
