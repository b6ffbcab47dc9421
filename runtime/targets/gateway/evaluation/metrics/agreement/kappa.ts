import type { Statistic } from '../compare/bootstrap.ts';
import type { Ratings } from './ratings.ts';

/** How disagreements count: all equally, by the number of categories between them, or by its square. */
export type KappaWeights = 'none' | 'linear' | 'quadratic';

const WEIGHTS: Readonly<Record<KappaWeights, (distance: number) => number>> = {
  none: (distance) => (distance === 0 ? 0 : 1),
  linear: (distance) => distance,
  quadratic: (distance) => distance ** 2,
};

type Pair = readonly [Int32Array, Int32Array];

/**
 * Cohen's kappa of two raters: the agreement beyond chance. Rows that one of them has not rated are ignored. The
 * categories are those that one of the two has used. NaN if both always use the same category.
 */
export function cohenKappa([first, second]: Pair, weights: KappaWeights): Statistic {
  const { one, other, size } = compacted(first, second);
  const weigh = WEIGHTS[weights];
  return (rows) => {
    const counts = new Float64Array(size * size);
    const [ofFirst, ofSecond] = [new Float64Array(size), new Float64Array(size)];
    let total = 0;
    for (const row of rows) {
      const [a, b] = [one[row] ?? -1, other[row] ?? -1];
      if (a < 0 || b < 0) continue;
      counts[a * size + b] = (counts[a * size + b] ?? 0) + 1;
      ofFirst[a] = (ofFirst[a] ?? 0) + 1;
      ofSecond[b] = (ofSecond[b] ?? 0) + 1;
      total += 1;
    }
    let [observed, expected] = [0, 0];
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < size; b++) {
        const weight = weigh(Math.abs(a - b));
        observed += weight * (counts[a * size + b] ?? 0);
        expected += (weight * (ofFirst[a] ?? 0) * (ofSecond[b] ?? 0)) / total;
      }
    }
    return expected === 0 ? Number.NaN : 1 - observed / expected;
  };
}

/** Renumbers the categories without those that neither rater has used in a row that both have rated. */
function compacted(first: Int32Array, second: Int32Array) {
  const used = new Set<number>();
  for (const [row, a] of first.entries()) {
    const b = second[row] ?? -1;
    if (a >= 0 && b >= 0) used.add(a).add(b);
  }
  const numbers = new Map([...used].toSorted((a, b) => a - b).map((category, at) => [category, at]));
  const renumber = (category: number): number => numbers.get(category) ?? -1;
  return { one: first.map(renumber), other: second.map(renumber), size: numbers.size };
}

/** The share of rows with equal ratings, among the rows that both have rated. */
export const equalShare =
  ([first, second]: Pair): Statistic =>
  (rows) => {
    let [equal, total] = [0, 0];
    for (const row of rows) {
      const [a, b] = [first[row] ?? -1, second[row] ?? -1];
      if (a < 0 || b < 0) continue;
      total += 1;
      if (a === b) equal += 1;
    }
    return equal / total;
  };

/** Fleiss' kappa of all raters, over the rows that all have rated. NaN if all ratings are equal. */
export function fleissKappa({
  of,
  raters,
  categories,
}: Pick<Ratings, 'of' | 'raters' | 'categories'>): Statistic {
  return (rows) => {
    const totals = new Float64Array(categories.length);
    const counts = new Float64Array(categories.length);
    let [subjects, agreement] = [0, 0];
    for (const row of rows) {
      if (of.some((ratings) => (ratings[row] ?? -1) < 0)) continue;
      counts.fill(0);
      for (const ratings of of) counts[ratings[row] ?? 0] = (counts[ratings[row] ?? 0] ?? 0) + 1;
      let pairs = 0;
      for (const [category, count] of counts.entries()) {
        pairs += count * (count - 1);
        totals[category] = (totals[category] ?? 0) + count;
      }
      agreement += pairs / (raters * (raters - 1));
      subjects += 1;
    }
    const observed = agreement / subjects;
    const expected = totals.reduce((sum, total) => sum + (total / (subjects * raters)) ** 2, 0);
    return expected === 1 ? Number.NaN : (observed - expected) / (1 - expected);
  };
}
