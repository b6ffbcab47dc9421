import type { Steps } from '#core/limits/steps.ts';
import {
  type BootstrapOptions,
  bootstrapInterval,
  type Interval,
  meanOf,
  seededRandom,
} from './bootstrap.ts';
import { foldedRows } from './folded-rows.ts';

/** By how much the second model is better than the first: the mean difference with its interval. */
export interface PairComparison extends ScoreInterval {
  readonly test: 'mcnemar_exact' | 'randomization';
  readonly p_value: number | null;
}

export interface PairOptions extends BootstrapOptions {
  /** Number of rounds in the randomization test. */
  readonly rounds?: number;
}

/**
 * Compares two models by their scores on the same rows, in the same order. NaN means no score, and only rows
 * with both scores count. Scores that are all 0 or 1 are compared with McNemar's exact test, others with the
 * randomization test.
 */
export function* comparePair(
  first: Float64Array,
  second: Float64Array,
  options: PairOptions = {},
): Steps<PairComparison> {
  if (first.length !== second.length) throw new Error(`${first.length} rows against ${second.length}`);
  const all = second.map((score, at) => score - (first[at] ?? 0));
  const hasBoth = (_score: number, at: number): boolean => Number.isFinite(all[at]);
  yield;
  const ours = first.filter(hasBoth);
  yield;
  const theirs = second.filter(hasBoth);
  yield;
  const differences = all.filter(hasBoth);
  yield;
  const isRightOrWrong = [ours, theirs].every((scores) =>
    scores.every((score) => score === 0 || score === 1),
  );
  const interval = yield* scoreInterval(differences, options);
  const test = isRightOrWrong ? 'mcnemar_exact' : 'randomization';
  if (differences.length === 0) return { ...interval, test, p_value: null };
  return {
    ...interval,
    test,
    p_value: isRightOrWrong
      ? mcnemar(ours, theirs)
      : yield* randomizationTest(foldedRows(differences), options),
  };
}

/**
 * The p-value of McNemar's exact two-sided test for rows that are correct (1) or wrong (0): if both models were equally good,
 * each row on which they differ would be a fair coin.
 *
 * @internal Exported for tests only.
 */
export function mcnemar(first: Float64Array, second: Float64Array): number {
  let [firstOnly, secondOnly] = [0, 0];
  for (const [at, score] of first.entries()) {
    if (score > (second[at] ?? 0)) firstOnly += 1;
    if (score < (second[at] ?? 0)) secondOnly += 1;
  }
  return coinProbability(firstOnly, secondOnly);
}

/** Probability that fair coins are at least this unbalanced: the exact two-sided binomial test. */
export function coinProbability(heads: number, tails: number): number {
  const [fewer, tosses] = [Math.min(heads, tails), heads + tails];
  let logTerm = -tosses * Math.LN2;
  for (let at = 1; at <= fewer; at++) logTerm += Math.log((tosses - fewer + at) / at);
  // Sums from the largest term down, each the previous one times a factor below 1, until further terms are
  // negligible.
  let [sum, term] = [0, 1];
  for (let at = fewer; at >= 0 && term > sum * Number.EPSILON; at--) {
    sum += term;
    term *= at / (tosses - at + 1);
  }
  return Math.min(1, 2 * sum * Math.exp(logTerm));
}

interface RandomizationOptions {
  /** Number of rounds. Default: 10,000. */
  readonly rounds?: number;
  readonly seed?: number;
}

/**
 * The paired two-sided randomization test on two models' score differences: if both models were equally good,
 * the sign of each difference would be random. If the number of sign combinations does not exceed the number
 * of rounds, all are tried and the result is exact; otherwise, signs are drawn, 32 rows per random number,
 * and the observed combination counts as an additional round, so that the p-value is never 0.
 *
 * @internal Exported for tests only.
 */
export function* randomizationTest(
  differences: Float64Array,
  { rounds = 10_000, seed = 1 }: RandomizationOptions = {},
): Steps<number> {
  // A difference of 0 has no sign.
  const counting = differences.filter((difference) => difference !== 0);
  const observed = Math.abs(sumWithSigns(counting, () => 0));
  // Sums computed in a different order can differ in their last digits.
  const atLeast = observed * (1 - 1e-12);
  const isExact = counting.length <= Math.log2(rounds);
  const choices = isExact ? 2 ** counting.length : rounds;
  const random = seededRandom(seed);
  let asUneven = isExact ? 0 : 1;
  for (let choice = 0; choice < choices; choice++) {
    const sum = sumWithSigns(counting, isExact ? () => choice : random.uint32);
    if (Math.abs(sum) >= atLeast) asUneven += 1;
    yield;
  }
  return asUneven / (isExact ? choices : choices + 1);
}

/**
 * A set bit flips a row's sign; the lowest bit belongs to the first row. Branch-free, because random branches
 * cannot be predicted.
 */
function sumWithSigns(differences: Float64Array, nextBits: () => number): number {
  let sum = 0;
  for (let from = 0; from < differences.length; from += 32) {
    const to = Math.min(from + 32, differences.length);
    let bits = nextBits();
    for (let at = from; at < to; at++) {
      sum += (differences[at] ?? 0) * (1 - 2 * (bits & 1));
      bits >>>= 1;
    }
  }
  return sum;
}

export interface ScoreInterval {
  /** Number of rows with a score. */
  readonly rows: number;
  readonly mean: number | null;
  readonly interval: Interval | null;
}

/** A model's mean score with its interval; NaN means no score. */
export function* scoreInterval(scores: Float64Array, options: BootstrapOptions = {}): Steps<ScoreInterval> {
  const known = scores.filter((score) => Number.isFinite(score));
  yield;
  const groups = foldedRows(known);
  yield;
  return {
    rows: known.length,
    mean: known.length === 0 ? null : known.reduce((sum, score) => sum + score, 0) / known.length,
    interval: yield* bootstrapInterval(groups.length, meanOf(groups), options),
  };
}

/** Adjusts the p-values of simultaneous tests using Holm's method, in the given order. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((value, at) => ({ value, at })).sort((one, other) => one.value - other.value);
  const adjusted = Array.from(pValues, () => 0);
  let largest = 0;
  for (const [rank, { value, at }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, value * (order.length - rank)));
    adjusted[at] = largest;
  }
  return adjusted;
}
