import { inputError } from '#contract/errors.ts';

/** How the distance between two ratings is measured: equal or not, by rank, or by their difference. */
export const RATING_LEVELS = ['nominal', 'ordinal', 'interval'] as const;
export type RatingLevel = (typeof RATING_LEVELS)[number];

/** A rating; null if the rater has not rated the row. */
export type Rating = string | number | null;

/** Several raters' ratings of the same rows. */
export interface Ratings {
  readonly rows: number;
  readonly raters: number;
  /** The different ratings, in ascending order. */
  readonly categories: readonly (string | number)[];
  /** Each rater's category for each row; -1 without a rating. */
  readonly of: readonly Int32Array[];
}

/** Maximum number of different ratings that are compared as categories. */
const MAX_CATEGORIES = 100;

/**
 * Numbers the different ratings. Throws an InputError if there are too many for categories, or if ratings that are ordered
 * are not numbers.
 */
export function readRatings(columns: readonly (readonly Rating[])[], level: RatingLevel): Ratings {
  const distinct = new Set(columns.flat().filter((rating) => rating !== null));
  const categories = [...distinct].toSorted(ascending);
  if (level !== 'nominal') {
    const text = categories.find((rating) => typeof rating === 'string');
    if (text !== undefined) {
      throw inputError(
        `The rating ${JSON.stringify(text.slice(0, 80))} is not a number, which level ${level} requires. Use level=nominal.`,
      );
    }
  }
  if (level !== 'interval' && categories.length > MAX_CATEGORIES) {
    throw inputError(
      `There are ${categories.length} different ratings; level ${level} supports at most ${MAX_CATEGORIES}. Set a threshold, or use level=interval.`,
    );
  }
  const numbers = new Map(categories.map((rating, at) => [rating, at]));
  return {
    rows: columns[0]?.length ?? 0,
    raters: columns.length,
    categories,
    of: columns.map((column) =>
      Int32Array.from(column, (rating) => (rating === null ? -1 : (numbers.get(rating) ?? -1))),
    ),
  };
}

function ascending(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : 1;
}
