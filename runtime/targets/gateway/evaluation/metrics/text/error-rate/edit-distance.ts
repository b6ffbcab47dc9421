import { AppError } from '#contract/errors.ts';

/** Maximum number of compared pairs, which takes about a second. */
const MAX_PAIRS = 400_000_000;

/** The Levenshtein distance: the fewest insertions, deletions and substitutions. Throws a TooLargeError for very long lists. */
export function editDistance(one: readonly string[], other: readonly string[]): number {
  if (one.length * other.length > MAX_PAIRS) {
    throw new AppError(
      'TooLargeError',
      `An error rate of ${one.length} and ${other.length} words or characters takes too long. Shorten the texts, or omit the metric.`,
    );
  }
  // Distances of the current start of `one` to each start of `other`.
  const distances = Uint32Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, unit] of one.entries()) {
    let diagonal = row;
    distances[0] = row + 1;
    for (const [column, found] of other.entries()) {
      const above = distances[column + 1] ?? 0;
      const substituted = diagonal + (unit === found ? 0 : 1);
      distances[column + 1] = Math.min(substituted, above + 1, (distances[column] ?? 0) + 1);
      diagonal = above;
    }
  }
  return distances[other.length] ?? 0;
}
