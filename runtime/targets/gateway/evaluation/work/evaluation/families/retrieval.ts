import { inputError } from '#contract/errors.ts';
import { retrieval } from '../../../metrics/embeddings/retrieval.ts';
import type { DatasetCell, RowCells } from '../../../datasets/dataset.ts';
import { isUnanswered, type MetricFamily } from '../evaluation.ts';
import { asIs, each, startingWith, scorer } from '../scorer.ts';
import { cellJson } from '../read-cells.ts';

/** The column with the texts to compare with. */
export const REFERENCE = 'reference';
/** The column with the similarity between the row's text and each of its candidates. */
export const CANDIDATE_SCORES = 'candidate_scores';

export const retrievalFamily: MetricFamily = {
  name: 'retrieval',
  metrics: {
    recall_at_k: startingWith('recall_at_'),
    ndcg: startingWith('ndcg_at_'),
    ...each(['mrr', 'recall_at_1', 'recall_at_5', 'recall_at_10', 'ndcg_at_1', 'ndcg_at_5', 'ndcg_at_10']),
  },
  needs: [],
  shownAs: asIs,
  open: (_tools, saved) =>
    scorer(retrieval({}, saved), ({ row, prediction, truth }) => {
      if (isUnanswered({ prediction })) {
        const { length } = candidatesOf(row);
        return length === 0 ? undefined : { prediction: null, reference: readGains(truth, length) };
      }
      const scores = cellJson(row[CANDIDATE_SCORES]);
      if (!Array.isArray(scores)) return undefined;
      return { prediction: scores, reference: readGains(truth, scores.length) };
    }),
};

/** A row's candidate texts. Throws an InputError if they are not a list of texts. */
export function candidatesOf({ candidates: cell }: RowCells): readonly string[] {
  if (cell === undefined || cell === null || cell === '') return [];
  const value = cellJson(cell);
  if (Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== '')) return value;
  throw inputError('`candidates` must be a list of strings.');
}

/** Each candidate's relevance, given as a list of numbers or as the position of the relevant one. */
export function readGains(cell: DatasetCell | undefined, length: number): readonly number[] {
  const value = cellJson(cell);
  if (Array.isArray(value) && value.length === length && value.every((gain) => typeof gain === 'number'))
    return value;
  const position = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof position === 'number' && Number.isInteger(position) && position >= 0 && position < length)
    return Array.from({ length }, (_, at) => (at === position ? 1 : 0));
  throw inputError(
    `Invalid relevance ${JSON.stringify(cell ?? null).slice(0, 80)} for ${length} candidates. Provide a number for each candidate, or the 0-based index of the relevant candidate.`,
  );
}
