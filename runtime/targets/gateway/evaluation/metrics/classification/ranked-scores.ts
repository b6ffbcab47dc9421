import { sortedOrder } from '../sorted-order.ts';

/** A score of one label in one row. */
export interface RankedScore {
  readonly score: number;
  /** Whether the row has the label. */
  readonly isTrue: boolean;
}

/** The area under the ROC curve; undefined unless there are rows with and without the label. Equal scores count half. */
export function areaUnderRoc(ranked: readonly RankedScore[]): number | undefined {
  let [truePairs, positives, negatives] = [0, 0, 0];
  for (const { positive, negative } of thresholds(ranked)) {
    // Pairs of a row with the label and one without it that are below, or equal.
    truePairs += negative * (positives + positive / 2);
    positives += positive;
    negatives += negative;
  }
  return positives === 0 || negatives === 0 ? undefined : truePairs / (positives * negatives);
}

/** The mean of the precision at each threshold, weighted with the rise of the recall; undefined without a row that has the label. */
export function averagePrecision(ranked: readonly RankedScore[]): number | undefined {
  let [sum, positives, chosen] = [0, 0, 0];
  for (const { positive, negative } of thresholds(ranked)) {
    positives += positive;
    chosen += positive + negative;
    sum += positive * (positives / chosen);
  }
  return positives === 0 ? undefined : sum / positives;
}

/** Numbers of rows with and without the label at each score, from the highest down. */
export function thresholds(
  ranked: readonly RankedScore[],
): readonly { readonly positive: number; readonly negative: number }[] {
  const found: { positive: number; negative: number }[] = [];
  const order = sortedOrder(
    ranked.map(({ score }) => score),
    true,
  );
  let last = Number.NaN;
  for (const at of order) {
    const one = ranked[at];
    if (one && one.score !== last) found.push({ positive: 0, negative: 0 });
    last = one?.score ?? last;
    const counts = found.at(-1);
    if (!counts) continue;
    if (one?.isTrue) counts.positive += 1;
    else counts.negative += 1;
  }
  return found;
}
