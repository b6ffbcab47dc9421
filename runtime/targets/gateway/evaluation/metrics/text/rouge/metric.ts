import type { MetricMaker, RowScores } from '../../metric.ts';
import { meanMetric } from '../mean-metric.ts';
import type { TextRow } from '../text-row.ts';
import { ROUGE_TYPES, rougeScores, type RougeScores } from './score.ts';

interface RougeOptions {
  /** Whether to compare stems instead of words (English only). Default: false, as in Hugging Face's `evaluate`. */
  readonly useStemmer?: boolean | undefined;
}

/** Mean F-measure (`rouge1_mean`), precision and recall of ROUGE-1, -2, -L and -Lsum over rows. */
export const rouge: MetricMaker<TextRow, RougeOptions> = ({ useStemmer = false }, saved) =>
  meanMetric(ROUGE_TYPES.flatMap(namesOf), (row) => flatten(rougeScores(row, useStemmer)), saved);

const namesOf = (type: string) => [`${type}_mean`, `${type}_precision_mean`, `${type}_recall_mean`];

const flatten = (scores: RougeScores): RowScores =>
  Object.fromEntries(
    ROUGE_TYPES.flatMap((type) => {
      const { fmeasure, precision, recall } = scores[type];
      return namesOf(type).map((name, at) => [name, [fmeasure, precision, recall][at] ?? 0]);
    }),
  );
