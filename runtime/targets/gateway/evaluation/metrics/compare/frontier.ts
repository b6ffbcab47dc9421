import { greatest } from '#core/numbers/extremes.ts';
import type { Steps } from '#core/limits/steps.ts';
import { type BootstrapOptions, seededRandom } from './bootstrap.ts';

/** What an alternative costs, and how good it is; higher is better. */
export interface TradeOff {
  readonly amount: number;
  readonly quality: number;
}

/** Whether each alternative is on the Pareto frontier: none is at least as good in both and better in one. */
export const onFrontier = (all: readonly TradeOff[]): boolean[] =>
  all.map(
    (one) =>
      !all.some(
        (other) =>
          other.amount <= one.amount &&
          other.quality >= one.quality &&
          (other.amount < one.amount || other.quality > one.quality),
      ),
  );

/** An alternative with its quality in each row; NaN without a score. */
export interface ScoredTradeOff {
  readonly amount: number;
  readonly scores: Float64Array;
}

/**
 * The share of bootstrap resamples in which each alternative is on the frontier. All alternatives get the same rows, so
 * that rows which are difficult for all of them do not matter.
 */
export function* frontierShares(
  all: readonly ScoredTradeOff[],
  { resamples = 1000, seed = 1 }: BootstrapOptions = {},
): Steps<number[]> {
  const rows = Math.max(0, greatest(all.map(({ scores }) => scores.length)));
  const groups = Math.min(rows, MAX_GROUPS);
  const sums = all.map(({ scores }) => grouped(scores, groups));
  yield;
  const random = seededRandom(seed);
  const drawn = new Uint32Array(groups);
  const times = all.map(() => 0);
  for (let resample = 0; resample < resamples; resample++) {
    for (let at = 0; at < groups; at++) drawn[at] = random.below(groups);
    const found = onFrontier(
      all.map(({ amount }, at) => ({ amount, quality: meanIn(sums[at] ?? EMPTY, drawn) })),
    );
    for (const [at, isOn] of found.entries()) if (isOn) times[at] = (times[at] ?? 0) + 1;
    yield;
  }
  return times.map((count) => count / resamples);
}

/** Rows are resampled in groups across the list, so that the time does not depend on their number. */
const MAX_GROUPS = 1000;

interface GroupedScores {
  readonly sums: Float64Array;
  readonly counts: Float64Array;
}

const EMPTY: GroupedScores = { sums: new Float64Array(), counts: new Float64Array() };

function grouped(scores: Float64Array, groups: number): GroupedScores {
  const [sums, counts] = [new Float64Array(groups), new Float64Array(groups)];
  for (const [row, score] of scores.entries()) {
    if (Number.isNaN(score)) continue;
    const group = row % groups;
    sums[group] = (sums[group] ?? 0) + score;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return { sums, counts };
}

function meanIn({ sums, counts }: GroupedScores, drawn: Uint32Array): number {
  let [sum, count] = [0, 0];
  for (const group of drawn) {
    sum += sums[group] ?? 0;
    count += counts[group] ?? 0;
  }
  return sum / count;
}
