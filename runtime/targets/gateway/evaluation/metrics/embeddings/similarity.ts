import { inputError } from '#contract/errors.ts';
import { type Metric, type MetricMaker, type MetricRow, metricResult, withoutRows } from '../metric.ts';

/** Two vectors, with an optional gold similarity of the texts. */
interface AnsweredRow extends MetricRow<Vector> {
  readonly gold?: number;
}
/** A row. Without a response, it has no vectors: its cosine counts as 0, and correlations ignore it. */
export type SimilarityRow = AnsweredRow | { readonly prediction: null };

type Saved = {
  readonly rows: number;
  readonly sum: number;
  readonly cosines: readonly number[];
  readonly golds: readonly number[];
};

/**
 * Mean cosine, and the correlation between cosines and gold similarities (scipy's `pearsonr` and `spearmanr`)
 * over the rows with a gold similarity. Ranks need every value: 16 bytes per row with a gold similarity, and
 * more in the saved state.
 */
export const similarityMetric: MetricMaker<SimilarityRow> = (_options, json): Metric<SimilarityRow> => {
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
  inputError(`The gold similarity is ${gold}. Use a finite number, or omit the gold similarity.`);

/**
 * Pearson correlation, or the reason why it is undefined. Uses two passes: deviations from the true mean lose no digits if the
 * mean is large.
 *
 * @internal Exported for tests only.
 */
export function pearson(xs: readonly number[], ys: readonly number[]): number | string {
  if (xs.length < 2) return 'A correlation requires at least two rows.';
  if (isConstant(xs) || isConstant(ys)) return CONSTANT;
  const [dx, dy] = [deviations(xs), deviations(ys)];
  return Math.min(1, Math.max(-1, dot(dx, dy) / (norm(dx) * norm(dy))));
}

/**
 * Pearson correlation of the ranks; equal values share their mean rank.
 *
 * @internal Exported for tests only.
 */
export function spearman(xs: readonly number[], ys: readonly number[]): number | string {
  // Ranks of values that only differ in their last digits would be meaningless.
  if (isConstant(xs) || isConstant(ys)) return pearson(xs, ys);
  return pearson(ranks(xs), ranks(ys));
}

const CONSTANT = 'All values on one side are equal, so the correlation is undefined.';

/** Also true if values differ only by rounding; this is the threshold for scipy's warning. */
function isConstant(values: readonly number[]): boolean {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return norm(deviations(values)) <= NOISE * Math.abs(mean);
}

const NOISE = 1e-13;

function deviations(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

const dot = (xs: readonly number[], ys: readonly number[]): number =>
  xs.reduce((sum, x, at) => sum + x * (ys[at] ?? 0), 0);

const norm = (values: readonly number[]): number => Math.sqrt(dot(values, values));

function ranks(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0));
  const ranked = Array.from(values, () => 0);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && valueAt(values, order[to]) === valueAt(values, order[from])) to += 1;
    for (const at of order.slice(from, to)) ranked[at] = (from + 1 + to) / 2;
    from = to;
  }
  return ranked;
}

const valueAt = (values: readonly number[], at: number | undefined): number => values[at ?? 0] ?? 0;

export type Vector = Readonly<ArrayLike<number>>;

/** Cosine of two vectors; 0 if one is a zero vector, as in scikit-learn's `cosine_similarity`. */
export function cosine(one: Vector, other: Vector): number {
  if (one.length !== other.length || one.length === 0) throw unevenVectors(one, other);
  let [product, ofOne, ofOther] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] ?? 0, other[at] ?? 0];
    product += a * b;
    ofOne += a * a;
    ofOther += b * b;
  }
  const lengths = Math.sqrt(ofOne) * Math.sqrt(ofOther);
  if (!Number.isFinite(product) || !Number.isFinite(lengths)) throw notFinite();
  return lengths === 0 ? 0 : product / lengths;
}

const unevenVectors = (one: Vector, other: Vector): Error =>
  inputError(
    `Vectors of ${one.length} and ${other.length} dimensions cannot be compared. Both must have the same number of dimensions, at least 1.`,
  );

const notFinite = (): Error =>
  inputError(
    'A vector contains a number that is not finite or is too large. Cosine similarity requires finite numbers.',
  );
