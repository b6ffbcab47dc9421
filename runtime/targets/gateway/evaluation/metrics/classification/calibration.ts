import { inputError } from '#contract/errors.ts';
import { type Metric, type MetricMaker, type MetricRow, metricResult, withoutRows } from '../metric.ts';

/** A row with the model's score for every label, from 0 to 1. */
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
 * Measures how well scores work as probabilities: log loss as in scikit-learn (scores are clipped by the
 * epsilon of float64, and are not normalized if they do not add up to 1), the Brier score as the sum over
 * labels (`scale_by_half=False` in scikit-learn), and the expected calibration error, with the predicted
 * label's score as the confidence. A true label that the model does not know has score 0.
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

/** Only own properties, not inherited ones such as `constructor`. */
const scoreOf = (scores: ScoredRow['scores'], label: string): number | undefined =>
  Object.hasOwn(scores, label) ? scores[label] : undefined;

/** Sums per confidence bin. */
interface CalibrationBins {
  readonly add: (confidence: number, isRight: boolean) => void;
  /** Mean difference between confidence and accuracy over the bins, weighted by their number of rows. */
  readonly error: () => number;
  readonly table: () => CalibrationBin[];
  readonly save: () => SavedBins;
}
type SavedBins = readonly (readonly [rows: number, confidence: number, right: number])[];

type CalibrationBin = {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly mean_confidence: number | null;
  readonly accuracy: number | null;
};

/**
 * Fifteen bins of equal width that include their lower edge and exclude their upper edge, plus one for a
 * confidence of exactly 1, as in torchmetrics (`multiclass_calibration_error`, `norm="l1"`).
 */
function calibrationBins(saved?: SavedBins): CalibrationBins {
  const bins = Array.from({ length: BINS + 1 }, (_, at) => {
    const [rows = 0, confidence = 0, right = 0] = saved?.[at] ?? [];
    return { rows, confidence, right };
  });
  return {
    add: (confidence, isRight) => {
      const bin = bins[binOf(confidence)];
      if (bin === undefined) return;
      bin.rows += 1;
      bin.confidence += confidence;
      bin.right += isRight ? 1 : 0;
    },
    error: () => {
      const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
      return bins.reduce((sum, bin) => sum + Math.abs(bin.right - bin.confidence), 0) / rows;
    },
    table: () =>
      bins.map(({ rows, confidence, right }, at) => ({
        from: edge(at),
        to: edge(Math.min(at + 1, BINS)),
        rows,
        mean_confidence: rows === 0 ? null : confidence / rows,
        accuracy: rows === 0 ? null : right / rows,
      })),
    save: () => bins.map(({ rows, confidence, right }) => [rows, confidence, right]),
  };
}

const BINS = 15;
const edge = (at: number): number => at / BINS;

function binOf(confidence: number): number {
  for (let at = BINS; at > 0; at--) if (confidence >= edge(at)) return at;
  return 0;
}
