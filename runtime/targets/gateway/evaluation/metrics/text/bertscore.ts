import type { MetricMaker, MetricRow } from '../metric.ts';
import { meanMetric, harmonicMean } from './mean-metric.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { inputError } from '#contract/errors.ts';
import { cosine, type Vector } from '../embeddings/similarity.ts';

const NAMES = ['bertscore_precision_mean', 'bertscore_recall_mean', 'bertscore_f1_mean'];

/** BERTScore over rows with token vectors, which the caller computes with an encoder. */
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

/** A text's token vectors and token weights; without weights, all tokens count equally. */
interface TokenVectors {
  readonly vectors: readonly Vector[];
  readonly weights?: readonly number[] | undefined;
}

interface BertScore {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/**
 * BERTScore (Zhang et al., 2020) without rescaling: a token's score is its cosine to the most similar token
 * in the other text. A text without tokens scores 0, as in bert_score; so does a zero vector, for which
 * bert_score returns NaN. Unlike in bert_score, `[CLS]` and `[SEP]` are not matched if the vectors omit them.
 *
 * @internal Exported for tests only.
 */
export function bertScore(prediction: TokenVectors, reference: TokenVectors): BertScore {
  checkWeights(prediction);
  checkWeights(reference);
  if (prediction.vectors.length === 0 || reference.vectors.length === 0)
    return { precision: 0, recall: 0, f1: 0 };
  const best = bestCosines(prediction.vectors, reference.vectors);
  const precision = weightedMean(best.ofRows, prediction.weights);
  const recall = weightedMean(best.ofColumns, reference.weights);
  return { precision, recall, f1: harmonicMean(precision, recall) };
}

function bestCosines(rows: readonly Vector[], columns: readonly Vector[]) {
  const ofRows = rows.map(() => -1);
  const ofColumns = columns.map(() => -1);
  rows.forEach((row, at) => {
    columns.forEach((column, to) => {
      const alike = cosine(row, column);
      ofRows[at] = Math.max(ofRows[at] ?? -1, alike);
      ofColumns[to] = Math.max(ofColumns[to] ?? -1, alike);
    });
  });
  return { ofRows, ofColumns };
}

function weightedMean(values: readonly number[], weights: readonly number[] = values.map(() => 1)): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return total === 0 ? 0 : values.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0) / total;
}

function checkWeights({ vectors, weights }: TokenVectors): void {
  if (weights !== undefined && weights.length !== vectors.length) {
    throw inputError(
      `There are ${weights.length} weights for ${vectors.length} tokens. Provide one weight per token.`,
    );
  }
}
