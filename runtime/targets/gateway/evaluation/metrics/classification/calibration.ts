import { inputError } from '#contract/errors.ts';
import type { Metric, MetricMaker, MetricRow } from '../metric.ts';
import { metricResult, withoutRows } from '../result.ts';
import { calibrationBins, type SavedBins } from './calibration-bins.ts';

/** A row with the model's score of every label, from 0 to 1. */
export interface ScoredRow extends MetricRow<string> {
  readonly scores: Readonly<Record<string, number>>;
}

type Saved = {
  readonly rows: number;
  readonly logLoss: number;
  readonly brier: number;
  readonly bins: SavedBins;
};

/**
 * Measures how well scores can be used as probabilities: log loss as in scikit-learn (scores are clipped by the epsilon of
 * float64, and are not normalized if their sum is not 1), the Brier score as the sum over labels (`scale_by_half=False` in
 * scikit-learn), and the expected calibration error, with the score of the predicted label as the confidence. A true label that
 * the model does not know has score 0.
 */
export const calibration: MetricMaker<ScoredRow> = (_options, json): Metric<ScoredRow> => {
  const saved = json as Saved | undefined;
  const bins = calibrationBins(saved?.bins);
  let { rows, logLoss, brier } = saved ?? { rows: 0, logLoss: 0, brier: 0 };
  return {
    add: (row) => {
      const confidence = confidenceOf(row);
      const scores = { log_loss: logLossOf(row), brier_score: brierOf(row) };
      bins.add(confidence, row.prediction === row.reference);
      rows += 1;
      logLoss += scores.log_loss;
      brier += scores.brier_score;
      return scores;
    },
    result: () => {
      const numbers = { log_loss: logLoss / rows, brier_score: brier / rows, ece: bins.error() };
      return metricResult(rows === 0 ? withoutRows(numbers) : numbers, {
        rows,
        calibration_bins: bins.table(),
      });
    },
    save: (): Saved => ({ rows, logLoss, brier, bins: bins.save() }),
  };
};

function confidenceOf({ prediction, scores }: ScoredRow): number {
  for (const [label, score] of Object.entries(scores)) {
    if (score >= 0 && score <= 1) continue;
    throw inputError(
      `Score ${score} of ${JSON.stringify(label)} is out of range. Scores must be between 0 and 1.`,
    );
  }
  const confidence = scoreOf(scores, prediction);
  if (confidence !== undefined) return confidence;
  throw inputError(
    `The predicted label ${JSON.stringify(prediction)} has no score. Provide a score for every label of the model.`,
  );
}

function logLossOf({ reference, scores }: ScoredRow): number {
  const score = scoreOf(scores, reference) ?? 0;
  return -Math.log(Math.min(Math.max(score, Number.EPSILON), 1 - Number.EPSILON));
}

function brierOf({ reference, scores }: ScoredRow): number {
  const others = Object.entries(scores).filter(([label]) => label !== reference);
  const missing = 1 - (scoreOf(scores, reference) ?? 0);
  return others.reduce((sum, [, score]) => sum + score * score, missing * missing);
}

/** Own properties only, not inherited ones such as `constructor`. */
const scoreOf = (scores: ScoredRow['scores'], label: string): number | undefined =>
  Object.hasOwn(scores, label) ? scores[label] : undefined;
