import type { Steps } from '#core/limits/steps.ts';
import { createBets, furtherValues, growthAbove, growthBelow, wealthNeeded } from './bets.ts';

// Compares two models by differences, one row after the other. Everything can be read after each row: the probability of
// an error holds for all readings together.

/** What a test has established: `not_worse` than the margin, `worse` than it, or nothing yet. */
export type SequentialVerdict = 'not_worse' | 'worse' | 'undecided';

export interface PairedTestOptions {
  /** By how much the second model can be worse and still count as not worse. */
  readonly margin: number;
  /** Probability that the interval ever misses the true difference. */
  readonly alpha: number;
  /** The largest possible mean difference; the smallest is its negative. Default: 1. */
  readonly bound?: number;
}

export interface PairedTest {
  /**
   * Adds a row: the second model's score minus the first one's. A single difference can be larger than all means, but
   * not than its `rowBound`, which must be known before the difference. Default: the bound of the test.
   */
  add(difference: number, rowBound?: number): void;
  readonly verdict: () => SequentialVerdict;
  /** Number of rows after which the verdict was reached; null while undecided. */
  readonly decidedAt: () => number | null;
  readonly count: () => number;
  /** Mean difference; null without rows. */
  readonly mean: () => number | null;
  /** Estimated number of further rows until a verdict; undefined if there are too few rows or it is too far away. */
  readonly remaining: () => number | undefined;
}

/** Fewer rows say too little about the variance for an estimate. */
const MIN_FOR_ESTIMATE = 10;

export function createPairedTest({ margin, alpha, bound = 1 }: PairedTestOptions): PairedTest {
  const bets = createBets(alpha);
  const needed = wealthNeeded(alpha);
  let [above, below, sum] = [0, 0, 0];
  let against = unit(-margin, bound);
  let verdict: SequentialVerdict = 'undecided';
  let decidedAt: number | null = null;
  return {
    add(difference, rowBound = bound) {
      const value = unit(difference, rowBound);
      against = unit(-margin, rowBound);
      const bet = bets.next();
      above += growthAbove(bet, value, against);
      below += growthBelow(bet, value, against);
      bets.add(value);
      sum += difference;
      if (verdict !== 'undecided') return;
      if (above >= needed) verdict = 'not_worse';
      else if (below >= needed) verdict = 'worse';
      if (verdict !== 'undecided') decidedAt = bets.count();
    },
    verdict: () => verdict,
    decidedAt: () => decidedAt,
    count: bets.count,
    mean: () => (bets.count() === 0 ? null : sum / bets.count()),
    remaining() {
      if (verdict !== 'undecided' || bets.count() < MIN_FOR_ESTIMATE) return undefined;
      const mean = bets.mean();
      const expected = { alpha, against, mean, count: bets.count(), squares: bets.squares() };
      return furtherValues({ ...expected, wealth: mean > against ? above : below });
    },
  };
}

export interface DifferenceInterval {
  readonly lower: number;
  readonly upper: number;
}

interface IntervalOptions extends Pick<PairedTestOptions, 'alpha' | 'bound'> {
  /** The bound of each row, if they differ. */
  readonly rowBounds?: readonly number[];
}

/** Enough halvings for seven decimal places. */
const HALVINGS = 24;

/**
 * The interval for the mean difference: all means against which neither bet was ever won. It contains the true mean
 * after all rows together with probability 1 - alpha, and the verdict of `createPairedTest` is where the interval lies.
 */
export function differenceInterval(
  differences: readonly number[],
  options: IntervalOptions,
): DifferenceInterval {
  const steps = differenceSteps(differences, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same in steps, for many rows. */
export function* differenceSteps(
  differences: readonly number[],
  { alpha, bound = 1, rowBounds }: IntervalOptions,
): Steps<DifferenceInterval> {
  const bets = createBets(alpha);
  const rows = differences.map((difference, at) => {
    const rowBound = rowBounds?.[at] ?? bound;
    const row = { value: unit(difference, rowBound), bet: bets.next(), rowBound };
    bets.add(row.value);
    return row;
  });
  const needed = wealthNeeded(alpha);
  const isWon = (growth: typeof growthAbove, mean: number): boolean => {
    let wealth = 0;
    return rows.some(
      ({ value, bet, rowBound }) => (wealth += growth(bet, value, unit(mean, rowBound))) >= needed,
    );
  };
  // The bet that the mean is higher is won against all means up to the lower end, the other one from the upper end on.
  let [lower, lowest] = [-bound, bound];
  let [highest, upper] = [-bound, bound];
  for (let round = 0; round < HALVINGS; round += 1) {
    const low = (lower + lowest) / 2;
    if (isWon(growthAbove, low)) lower = low;
    else lowest = low;
    yield;
    const high = (highest + upper) / 2;
    if (isWon(growthBelow, high)) upper = high;
    else highest = high;
    yield;
  }
  return { lower, upper };
}

/** Moves a difference from -bound..bound to 0..1. Values outside are at the ends. */
const unit = (difference: number, bound: number): number =>
  Math.min(1, Math.max(0, (difference / bound + 1) / 2));
