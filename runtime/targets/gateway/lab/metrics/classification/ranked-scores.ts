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
function thresholds(ranked: readonly RankedScore[]): { positive: number; negative: number }[] {
  const found: { positive: number; negative: number }[] = [];
  let last = Number.NaN;
  for (const { score, isTrue } of ranked.toSorted((one, other) => other.score - one.score)) {
    if (score !== last) found.push({ positive: 0, negative: 0 });
    last = score;
    const counts = found.at(-1);
    if (!counts) continue;
    if (isTrue) counts.positive += 1;
    else counts.negative += 1;
  }
  return found;
}
