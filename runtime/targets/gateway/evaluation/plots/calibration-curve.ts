import type { RankedScore } from '../metrics/classification/ranking.ts';

export interface CalibrationPoint {
  readonly rows: number;
  /** Mean score of the rows. */
  readonly predicted: number;
  /** Share of the rows that have the label. */
  readonly observed: number;
}

/**
 * The share of rows that have a label, against the label's score, in bins of equal width without the empty
 * ones, as in scikit-learn (`calibration_curve`): a score on the edge between two bins belongs to the lower
 * one.
 */
export function calibrationCurve(ranked: readonly RankedScore[], bins = 10): readonly CalibrationPoint[] {
  const sums = Array.from({ length: bins }, () => ({ rows: 0, scores: 0, hits: 0 }));
  for (const { score, isTrue } of ranked) {
    const bin = sums[binOf(score, bins)];
    if (!bin) continue;
    bin.rows += 1;
    bin.scores += score;
    bin.hits += isTrue ? 1 : 0;
  }
  return sums
    .filter(({ rows }) => rows > 0)
    .map(({ rows, scores, hits }) => ({ rows, predicted: scores / rows, observed: hits / rows }));
}

/** Number of inner bin edges below the score. */
function binOf(score: number, bins: number): number {
  let bin = 0;
  while (bin < bins - 1 && score > (bin + 1) / bins) bin += 1;
  return bin;
}
