import { inputError } from '#contract/errors.ts';
import { similarityMetric } from '../../../metrics/embeddings/similarity.ts';
import type { DatasetCell } from '../../../datasets/dataset.ts';
import { isEmptyCell } from '../../../datasets/check-row.ts';
import { isUnanswered, type MetricFamily } from '../evaluation.ts';
import { asIs, each, only, scorer } from '../scorer.ts';
import { cellJson } from '../read-cells.ts';
import { CANDIDATE_SCORES, REFERENCE } from './retrieval.ts';

/** The column with the vector of the text to compare with. */
export const REFERENCE_VECTOR = 'reference_embedding';

/**
 * Maximum number of rows for correlations. They need all values, which are written with every batch;
 * additional rows are not included.
 */
const MAX_GOLDS = 50_000;

export const similarityFamily: MetricFamily = {
  name: 'similarity',
  metrics: { cosine: only('cosine_mean'), ...each(['cosine_mean', 'pearson', 'spearman']) },
  needs: [],
  shownAs: asIs,
  open(_tools, saved) {
    let golds = (saved as { readonly golds: readonly number[] } | undefined)?.golds.length ?? 0;
    return scorer(similarityMetric({}, saved), ({ row, prediction, truth }) => {
      if (isUnanswered({ prediction })) return isEmptyCell(row[REFERENCE]) ? undefined : { prediction: null };
      const reference = vectorOf(row[REFERENCE_VECTOR]);
      const vector = vectorOf(prediction);
      if (!reference || !vector) return undefined;
      // In rows with candidates, the ground truth is the relevance of the candidates.
      const gold = isEmptyCell(truth) || !isEmptyCell(row[CANDIDATE_SCORES]) ? undefined : readGold(truth);
      if (gold === undefined || golds === MAX_GOLDS) return { prediction: vector, reference };
      golds += 1;
      return { prediction: vector, reference, gold };
    });
  },
};

function vectorOf(cell: DatasetCell | undefined): readonly number[] | undefined {
  const value = cellJson(cell);
  return Array.isArray(value) && value.length > 0 && value.every((number) => typeof number === 'number')
    ? value
    : undefined;
}

/** The gold similarity of two texts. Throws an InputError if it is not a number. */
export function readGold(cell: DatasetCell | undefined): number {
  const gold = typeof cell === 'string' && cell.trim() !== '' ? Number(cell) : cell;
  if (typeof gold === 'number' && Number.isFinite(gold)) return gold;
  throw inputError(`Invalid similarity ${JSON.stringify(cell ?? null).slice(0, 80)}. It must be a number.`);
}
