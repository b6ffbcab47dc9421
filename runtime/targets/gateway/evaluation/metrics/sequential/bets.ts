// Tests and intervals for the mean of bounded values that stay valid however often they are looked at: the betting
// confidence sequence of Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting"
// (Journal of the Royal Statistical Society B, 2024), Theorem 3, with predictable plug-in bets. Values are from 0 to 1.

/** The largest share of the wealth that one value can lose. */
const MAX_STAKE = 0.75;

/** The size of the next bet, from the values before it. It must not depend on the value that it is for. */
export interface Bets {
  readonly count: () => number;
  readonly mean: () => number;
  /** The sum of the squared deviations. */
  readonly squares: () => number;
  /** The size of the bet on the next value. */
  readonly next: () => number;
  readonly add: (value: number) => void;
}

/** Creates bets for intervals that miss the mean with at most this probability. */
export function createBets(alpha: number): Bets {
  let [count, sum, squares] = [0, 0, 0];
  const scale = 2 * Math.log(2 / alpha);
  const mean = (): number => (0.5 + sum) / (count + 1);
  return {
    count: () => count,
    mean: () => (count === 0 ? 0.5 : sum / count),
    squares: () => squares,
    next: () => betOf(scale, squares, count + 1),
    add(value) {
      count += 1;
      sum += value;
      squares += (value - mean()) ** 2;
    },
  };
}

/** One value with a variance of 1/4 is added, so that the variance is never 0. */
const betOf = (scale: number, squares: number, row: number): number =>
  Math.sqrt(scale / ((0.25 + squares) * Math.log(row + 1)));

/** By how much the logarithm of the wealth grows if the bet is that the mean is above `mean`. */
export const growthAbove = (bet: number, value: number, mean: number): number =>
  Math.log1p(Math.min(bet, MAX_STAKE / mean) * (value - mean));

/** By how much it grows if the bet is that the mean is below `mean`. */
export const growthBelow = (bet: number, value: number, mean: number): number =>
  Math.log1p(-Math.min(bet, MAX_STAKE / (1 - mean)) * (value - mean));

/** The logarithm of the wealth at which a bet is won. Half of the probability of an error is for each direction. */
export const wealthNeeded = (alpha: number): number => Math.log(2 / alpha);

interface Expected {
  readonly alpha: number;
  readonly count: number;
  readonly mean: number;
  readonly squares: number;
  /** The mean that the bets are against. */
  readonly against: number;
  /** The wealth so far, as a logarithm, of the bet that would be won if the values stay as they are. */
  readonly wealth: number;
}

/** The highest number of further values that is estimated. */
const MAX_ESTIMATE = 100_000;

/**
 * Estimates how many further values decide a bet if their mean and variance stay the same. Undefined for more than
 * `MAX_ESTIMATE`.
 */
export function furtherValues(expected: Expected): number | undefined {
  const { alpha, count, mean, squares, against } = expected;
  const variance = squares / count;
  const scale = 2 * Math.log(2 / alpha);
  const gap = Math.abs(mean - against);
  const stake = MAX_STAKE / (mean > against ? against : 1 - against);
  let { wealth } = expected;
  for (let more = 1; more <= MAX_ESTIMATE; more += 1) {
    const bet = Math.min(betOf(scale, squares + variance * (more - 1), count + more), stake);
    wealth += bet * gap - (bet * bet * (variance + gap * gap)) / 2;
    if (wealth >= wealthNeeded(alpha)) return more;
  }
  return undefined;
}
