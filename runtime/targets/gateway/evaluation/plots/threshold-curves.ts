import { type RankedScore, thresholds } from '../metrics/classification/ranking.ts';

export type CurvePoint = readonly [x: number, y: number];

export interface ThresholdCurves {
  /** False positive rate and true positive rate, from (0, 0) to (1, 1). */
  readonly roc: readonly CurvePoint[];
  /** Recall and precision, from recall 0 with precision 1 to the lowest threshold. */
  readonly precisionRecall: readonly CurvePoint[];
}

/**
 * The ROC curve and the precision-recall curve, with a point for each distinct score, as in scikit-learn with
 * `drop_intermediate=False`. Undefined unless there are rows with and without the label.
 */
export function thresholdCurves(ranked: readonly RankedScore[]): ThresholdCurves | undefined {
  const positives = ranked.filter(({ isTrue }) => isTrue).length;
  const negatives = ranked.length - positives;
  if (positives === 0 || negatives === 0) return undefined;
  const roc: CurvePoint[] = [[0, 0]];
  const precisionRecall: CurvePoint[] = [[0, 1]];
  let [hits, falseAlarms] = [0, 0];
  for (const { positive, negative } of thresholds(ranked)) {
    hits += positive;
    falseAlarms += negative;
    roc.push([falseAlarms / negatives, hits / positives]);
    precisionRecall.push([hits / positives, hits / (hits + falseAlarms)]);
  }
  return { roc, precisionRecall };
}

/** Keeps at most `max` points of a curve: the first, the last, and evenly spaced ones in between. */
export function thinned(points: readonly CurvePoint[], max: number): readonly CurvePoint[] {
  if (points.length <= max) return points;
  const step = (points.length - 1) / (max - 1);
  return Array.from({ length: max }, (_, at) => points[Math.round(at * step)] ?? ([0, 0] as const));
}
