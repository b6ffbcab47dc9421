import type { Interval } from '../compare/bootstrap.ts';

/** The 97.5th percentile of the normal distribution, for 95% intervals. */
const Z = 1.959963984540054;

/** The 95% Wilson score interval of a share, which is valid for small numbers and shares near 0 and 1. */
export function wilsonInterval(count: number, total: number): Interval {
  const share = count / total;
  const shrink = 1 + Z ** 2 / total;
  const center = (share + Z ** 2 / (2 * total)) / shrink;
  const half = (Z / shrink) * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2));
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
