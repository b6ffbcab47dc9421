import type { MetricMaker, MetricRow } from '../../metric.ts';
import { meanMetric } from '../mean-metric.ts';
import { bertScore, type TokenVectors } from './score.ts';

const NAMES = ['bertscore_precision_mean', 'bertscore_recall_mean', 'bertscore_f1_mean'];

/** BERTScore over rows with token vectors, which the caller gets from an encoder. */
export const bertscore: MetricMaker<MetricRow<TokenVectors>> = (_options, saved) =>
  meanMetric(NAMES, scoreRow, saved);

function scoreRow(row: MetricRow<TokenVectors>) {
  const { precision, recall, f1 } = bertScore(row.prediction, row.reference);
  return { bertscore_precision_mean: precision, bertscore_recall_mean: recall, bertscore_f1_mean: f1 };
}
