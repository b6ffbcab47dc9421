import type { MetricMaker, MetricRow } from '../../metric.ts';
import { meanMetric } from '../mean-metric.ts';
import { bertScore, type TokenVectors } from './score.ts';
import { greatest } from '#core/numbers/extremes.ts';

const NAMES = ['bertscore_precision_mean', 'bertscore_recall_mean', 'bertscore_f1_mean'];

/** BERTScore over rows with token vectors, which the caller gets from an encoder. */
export const bertscore: MetricMaker<VectorRow> = (_options, saved) => meanMetric(NAMES, scoreRow, saved);

interface VectorRow extends MetricRow<TokenVectors> {
  readonly otherReferences?: readonly TokenVectors[] | undefined;
}

/** With several references, each value is the highest one, as in bert_score. */
function scoreRow({ prediction, reference, otherReferences = [] }: VectorRow) {
  const all = [reference, ...otherReferences].map((one) => bertScore(prediction, one));
  return {
    bertscore_precision_mean: greatest(all.map(({ precision }) => precision)),
    bertscore_recall_mean: greatest(all.map(({ recall }) => recall)),
    bertscore_f1_mean: greatest(all.map(({ f1 }) => f1)),
  };
}
