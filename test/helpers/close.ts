import { expect } from 'vitest';

/** Maximum difference between float32 kernels of different libraries. */
export const TOLERANCE = 1e-5;

/** The largest difference between two lists of numbers; Infinity if their lengths differ or they are empty. */
export function largestDifference(actual: readonly number[] = [], expected: readonly number[]): number {
  if (actual.length !== expected.length || actual.length === 0) return Infinity;
  return Math.max(...actual.map((value, at) => Math.abs(value - (expected[at] ?? Number.NaN))));
}

/** Expects numbers to match those of another library. `what` is in the failure message. */
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
