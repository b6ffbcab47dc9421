import { inputError } from '../../../../../../contract/errors.ts';
import { similarity } from '../../../metrics/embeddings/similarity.ts';
import type { Cell } from '../../../datasets/dataset.ts';
import { isBlank } from '../../../datasets/check-row.ts';
import { isUnanswered, type MetricFamily } from '../evaluation.ts';
import { asIs, each, only } from '../names.ts';
import { readJson } from '../read-json.ts';
import { scorer } from '../scorer.ts';
import { CANDIDATE_SCORES, REFERENCE } from './retrieval.ts';

/** The column with the vector of the text that is compared with. */
export const REFERENCE_VECTOR = 'reference_embedding';

/** Correlations need all values, and those are written with every batch: beyond so many rows, they are of the first ones. */
const MOST_GOLDS = 50_000;

export const similarityFamily: MetricFamily = {
  name: 'similarity',
  metrics: { cosine: only('cosine_mean'), ...each(['cosine_mean', 'pearson', 'spearman']) },
  needs: [],
  shownAs: asIs,
  open(_tools, saved) {
    let golds = (saved as { readonly golds: readonly number[] } | undefined)?.golds.length ?? 0;
    return scorer(similarity({}, saved), ({ row, prediction, truth }) => {
      if (isUnanswered({ prediction })) return isBlank(row[REFERENCE]) ? undefined : { prediction: null };
      const reference = vectorOf(row[REFERENCE_VECTOR]);
      const said = vectorOf(prediction);
      if (!reference || !said) return undefined;
      // Beside candidates, the ground truth says which of them are right.
      const gold = isBlank(truth) || !isBlank(row[CANDIDATE_SCORES]) ? undefined : readGold(truth);
      if (gold === undefined || golds === MOST_GOLDS) return { prediction: said, reference };
      golds += 1;
      return { prediction: said, reference, gold };
    });
  },
};

function vectorOf(cell: Cell | undefined): readonly number[] | undefined {
  const value = readJson(cell);
  return Array.isArray(value) && value.length > 0 && value.every((number) => typeof number === 'number')
    ? value
    : undefined;
}

/** How alike people found two texts. Throws an InputError for what is no number. */
export function readGold(cell: Cell | undefined): number {
  const gold = typeof cell === 'string' && cell.trim() !== '' ? Number(cell) : cell;
  if (typeof gold === 'number' && Number.isFinite(gold)) return gold;
  throw inputError(
    `${JSON.stringify(cell ?? null).slice(0, 80)} is no number that says how alike the texts are.`,
  );
}
