/**
 * Reduces many rows' scores to the means of at most 4,096 groups, so that resampling a million rows takes no
 * longer than resampling a few thousand. Each group takes rows from across the list, because neighbors are
 * often similar. Small lists are returned unchanged.
 */
export function foldedRows(scores: Float64Array): Float64Array {
  const size = Math.ceil(scores.length / MAX_GROUPS);
  if (size <= 1) return scores;
  const groups = Math.ceil(scores.length / size);
  const sums = new Float64Array(groups);
  for (const [row, score] of scores.entries()) sums[row % groups] = (sums[row % groups] ?? 0) + score;
  return sums.map((sum, group) => sum / Math.ceil((scores.length - group) / groups));
}

const MAX_GROUPS = 4096;
