import type { Statistic } from '../compare/bootstrap.ts';
import type { RatingLevel, Ratings } from './ratings.ts';

/**
 * Krippendorff's alpha of all raters. Rows with fewer than two ratings are ignored; other rows can lack ratings. NaN if
 * all ratings are equal.
 */
export function krippendorffAlpha(ratings: Ratings, level: RatingLevel): Statistic {
  return level === 'interval' ? intervalAlpha(ratings) : categoryAlpha(ratings, level);
}

/** Ratings per category and row, for the rows that at least two raters have rated. */
function countRow({ of }: Ratings, row: number, counts: Float64Array): number {
  counts.fill(0);
  let rated = 0;
  for (const ratings of of) {
    const category = ratings[row] ?? -1;
    if (category < 0) continue;
    counts[category] = (counts[category] ?? 0) + 1;
    rated += 1;
  }
  return rated;
}

function categoryAlpha(ratings: Ratings, level: 'nominal' | 'ordinal'): Statistic {
  const size = ratings.categories.length;
  const counts = new Float64Array(size);
  return (rows) => {
    const totals = new Float64Array(size);
    const coincidences = new Float64Array(size * size);
    for (const row of rows) {
      const rated = countRow(ratings, row, counts);
      if (rated < 2) continue;
      for (const [a, ofA] of counts.entries()) {
        if (ofA === 0) continue;
        totals[a] = (totals[a] ?? 0) + ofA;
        for (const [b, ofB] of counts.entries()) {
          const pairs = a === b ? ofA * (ofA - 1) : ofA * ofB;
          coincidences[a * size + b] = (coincidences[a * size + b] ?? 0) + pairs / (rated - 1);
        }
      }
    }
    const distance = level === 'nominal' ? nominalDistance : ordinalDistance(totals);
    const total = totals.reduce((sum, count) => sum + count, 0);
    let [observed, expected] = [0, 0];
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < size; b++) {
        const apart = distance(a, b);
        observed += apart * (coincidences[a * size + b] ?? 0);
        expected += (apart * (totals[a] ?? 0) * (totals[b] ?? 0)) / (total - 1);
      }
    }
    return expected === 0 ? Number.NaN : 1 - observed / expected;
  };
}

const nominalDistance = (a: number, b: number): number => (a === b ? 0 : 1);

/** The number of ratings from one category to the other, half of those in each of the two, squared. */
function ordinalDistance(totals: Float64Array): (a: number, b: number) => number {
  const before = new Float64Array(totals.length + 1);
  for (const [category, total] of totals.entries()) before[category + 1] = (before[category] ?? 0) + total;
  return (a, b) => {
    const [low, high] = a < b ? [a, b] : [b, a];
    const between = (before[high + 1] ?? 0) - (before[low] ?? 0);
    return (between - ((totals[low] ?? 0) + (totals[high] ?? 0)) / 2) ** 2;
  };
}

/** With squared differences, pairs need not be counted: their sum follows from sums and squares. */
function intervalAlpha({ of, categories }: Ratings): Statistic {
  const numbers = categories.map(Number);
  return (rows) => {
    let [observed, total, sum, squares] = [0, 0, 0, 0];
    for (const row of rows) {
      let [rated, ofRow, squaresOfRow] = [0, 0, 0];
      for (const ratings of of) {
        const category = ratings[row] ?? -1;
        if (category < 0) continue;
        const value = numbers[category] ?? 0;
        rated += 1;
        ofRow += value;
        squaresOfRow += value * value;
      }
      if (rated < 2) continue;
      observed += (2 * (rated * squaresOfRow - ofRow * ofRow)) / (rated - 1);
      total += rated;
      sum += ofRow;
      squares += squaresOfRow;
    }
    const expected = (2 * (total * squares - sum * sum)) / (total - 1);
    return expected === 0 ? Number.NaN : 1 - observed / expected;
  };
}
