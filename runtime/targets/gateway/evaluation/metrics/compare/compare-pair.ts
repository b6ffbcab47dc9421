import type { Steps } from '#core/limits/steps.ts';
import { type BootstrapOptions } from './bootstrap.ts';
import { foldedRows } from './folded-rows.ts';
import { mcnemar } from './mcnemar.ts';
import { randomizationTest } from './randomization.ts';
import { scoreInterval, type ScoreInterval } from './score-interval.ts';

/** How much better the second model is than the first: the mean difference with its interval. */
export interface PairComparison extends ScoreInterval {
  readonly test: 'mcnemar_exact' | 'randomization';
  readonly p_value: number | null;
}

export interface PairOptions extends BootstrapOptions {
  /** Number of rounds of the randomization test. */
  readonly rounds?: number;
}

/**
 * Compares two models by their scores on the same rows, in the same order. NaN means no score, and only rows with both scores
 * count. Scores that are all 0 or 1 are compared with McNemar's exact test, others with the randomization test.
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
