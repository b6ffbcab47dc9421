import type { DifferenceInterval } from './paired-test.ts';

// Intervals for costs and durations, which have no upper limit. Like those of scores, they stay valid however often they
// are looked at.

/** With fewer values, the distribution of the mean can still be far from a normal one. */
const MIN_VALUES = 300;

/** The number of values for which the interval is the narrowest. */
const NARROWEST_AT = 1000;

/**
 * The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit
 * theory and asymptotic confidence sequences" (Annals of Statistics, 2024), Theorem 2.2. Undefined for fewer than 300
 * values.
 */
export function meanInterval(values: readonly number[], alpha: number): DifferenceInterval | undefined {
  const count = values.length;
  if (count < MIN_VALUES) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const log = -2 * Math.log(alpha);
  const rate = (log + Math.log(log) + 1) / NARROWEST_AT;
  const scale = count * rate + 1;
  const width = Math.sqrt(
    variance * ((2 * scale) / (count * count * rate)) * Math.log(Math.sqrt(scale) / alpha),
  );
  return { lower: mean - width, upper: mean + width };
}

/** The value at a share of sorted values; null without values. */
export const quantileOf = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;

/**
 * The interval for the difference of the quantiles of two sorted lists, which do not have to be independent of each other:
 * half of the probability of an error is for each list. Undefined if there are too few values.
 */
export function quantileDifference(
  current: readonly number[],
  candidate: readonly number[],
  share: number,
  alpha: number,
): DifferenceInterval | undefined {
  const [one, other] = [current, candidate].map((sorted) => quantileInterval(sorted, share, alpha / 2));
  return one && other && { lower: other.lower - one.upper, upper: other.upper - one.lower };
}

/**
 * The confidence sequence for a quantile of Howard and Ramdas, "Sequential estimation of quantiles with applications to
 * A/B testing and best-arm identification" (Bernoulli, 2022), Theorem 1.
 */
function quantileInterval(
  sorted: readonly number[],
  share: number,
  alpha: number,
): DifferenceInterval | undefined {
  const count = sorted.length;
  if (count === 0) return undefined;
  const log = (1.4 * Math.log(Math.log(2.1 * Math.max(2, count))) + Math.log(10 / alpha)) / count;
  const width = 1.5 * Math.sqrt(share * (1 - share) * log) + 0.8 * log;
  const lower = sorted[Math.floor(count * (share - width))];
  const upper = sorted[Math.ceil(count * (share + width))];
  return lower === undefined || upper === undefined ? undefined : { lower, upper };
}
