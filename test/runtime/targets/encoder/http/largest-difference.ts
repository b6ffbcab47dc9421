/** What float32 kernels of different libraries may differ by. */
export const TOLERANCE = 1e-5;

/** How far two lists of numbers are apart at most; infinitely, if they are not of one length. */
export function largestDifference(actual: readonly number[] = [], expected: readonly number[]): number {
  if (actual.length !== expected.length || actual.length === 0) return Infinity;
  return Math.max(...actual.map((value, at) => Math.abs(value - (expected[at] ?? Number.NaN))));
}
