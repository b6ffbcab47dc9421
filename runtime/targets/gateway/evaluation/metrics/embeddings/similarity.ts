import { inputError } from '#contract/errors.ts';
import type { Metric, MetricMaker, MetricRow } from '../metric.ts';
import { metricResult, withoutRows } from '../result.ts';
import { pearson, spearman } from './correlation.ts';
import { cosine, type Vector } from './vector.ts';

/** Two vectors, with an optional gold similarity of the texts. */
interface AnsweredRow extends MetricRow<Vector> {
  readonly gold?: number;
}
/** A row; without an answer it has no vectors: its cosine counts as 0, and correlations ignore it. */
export type SimilarityRow = AnsweredRow | { readonly prediction: null };

type Saved = {
  readonly rows: number;
  readonly sum: number;
  readonly cosines: readonly number[];
  readonly golds: readonly number[];
};

/**
 * Mean cosine, and the correlation of cosines and gold similarities (scipy's `pearsonr` and `spearmanr`) over the rows with a
 * gold similarity. Ranks need every value: 16 bytes per row with a gold similarity, and more in the saved state.
 */
export const similarity: MetricMaker<SimilarityRow> = (_options, json): Metric<SimilarityRow> => {
  const saved = json as Saved | undefined;
  let { rows, sum } = saved ?? { rows: 0, sum: 0 };
  const cosines = [...(saved?.cosines ?? [])];
  const golds = [...(saved?.golds ?? [])];
  return {
    add: (row) => {
      if (row.prediction === null) {
        rows += 1;
        return { cosine_mean: 0 };
      }
      const { prediction, reference, gold } = row;
      const value = cosine(prediction, reference);
      if (gold !== undefined && !Number.isFinite(gold)) throw badGold(gold);
      rows += 1;
      sum += value;
      if (gold !== undefined) {
        cosines.push(value);
        golds.push(gold);
      }
      return { cosine_mean: value };
    },
    result: () => {
      const correlation = (measure: typeof pearson) =>
        golds.length === 0 ? NO_GOLD : measure(cosines, golds);
      const numbers = {
        cosine_mean: sum / rows,
        pearson: correlation(pearson),
        spearman: correlation(spearman),
      };
      return metricResult(rows === 0 ? withoutRows(numbers) : numbers, {
        rows,
        rows_with_gold: golds.length,
      });
    },
    save: (): Saved => ({ rows, sum, cosines: [...cosines], golds: [...golds] }),
  };
};

const NO_GOLD = 'No row has a gold similarity.';

const badGold = (gold: number): Error =>
  inputError(`The gold similarity is ${gold}. It must be a finite number; omit it if there is none.`);
