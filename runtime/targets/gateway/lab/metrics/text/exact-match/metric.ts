import type { MetricMaker, MetricRow } from '../../metric.ts';
import { meanMetric } from '../mean-metric.ts';
import { checkLength } from '../text-row.ts';
import { squadAnswer } from './squad-answer.ts';

/** A row; null means no answer, which matches nothing. */
type AnsweredText = MetricRow<string | null, string>;

/** Share of predictions that equal their reference exactly, and under SQuAD's normalization. */
export const exactMatch: MetricMaker<AnsweredText> = (_options, saved) =>
  meanMetric(['exact_match', 'exact_match_normalized'], scoreRow, saved);

function scoreRow({ prediction, reference }: AnsweredText) {
  if (prediction === null) return { exact_match: 0, exact_match_normalized: 0 };
  checkLength({ prediction, reference });
  return {
    exact_match: Number(prediction === reference),
    exact_match_normalized: Number(squadAnswer(prediction) === squadAnswer(reference)),
  };
}
