import type { MetricMaker } from '../../api.ts';
import { meanMetric } from '../mean-metric.ts';
import { checkLength, type TextRow } from '../text-row.ts';
import { squadAnswer } from './squad-answer.ts';

/** How many predictions are their reference to the letter, and how many are by the rules of SQuAD. */
export const exactMatch: MetricMaker<TextRow> = (_options, saved) =>
  meanMetric(['exact_match', 'exact_match_normalized'], scoreRow, saved);

function scoreRow(row: TextRow) {
  checkLength(row);
  const { prediction, reference } = row;
  return {
    exact_match: Number(prediction === reference),
    exact_match_normalized: Number(squadAnswer(prediction) === squadAnswer(reference)),
  };
}
