import { type Random, seededRandom } from '../../metrics/compare/bootstrap.ts';

/**
 * Selects rows from groups of row numbers, so that each group has the same share in the sample as in all
 * rows. The same seed selects the same rows on every machine. Returns the row numbers in ascending order.
 */
export function chooseRows(groups: readonly (readonly number[])[], size: number, seed: number): number[] {
  const random = seededRandom(seed);
  const total = groups.reduce((sum, rows) => sum + rows.length, 0);
  const counts = shares(
    groups.map((rows) => (Math.min(size, total) * rows.length) / Math.max(1, total)),
    Math.min(size, total),
  );
  return groups
    .flatMap((rows, at) => chosenOf(rows, counts[at] ?? 0, random))
    .sort((one, other) => one - other);
}

/** Integers close to the exact shares, with the given sum: the largest fractions are rounded up. */
function shares(exact: readonly number[], sum: number): number[] {
  const counts = exact.map(Math.floor);
  const missing = sum - counts.reduce((total, count) => total + count, 0);
  const fractions = exact.map((share, at) => ({ at, fraction: share - Math.floor(share) }));
  for (const { at } of fractions.toSorted((one, other) => other.fraction - one.fraction).slice(0, missing))
    counts[at] = (counts[at] ?? 0) + 1;
  return counts;
}

/** The first rows of a shuffled list. Only as many positions are shuffled as are needed. */
function chosenOf(rows: readonly number[], count: number, random: Random): number[] {
  const shuffled = [...rows];
  for (let at = 0; at < count; at += 1) {
    const other = at + random.below(rows.length - at);
    const row = shuffled[other] ?? 0;
    shuffled[other] = shuffled[at] ?? 0;
    shuffled[at] = row;
  }
  return shuffled.slice(0, count);
}

/** Number of dataset rows to use. `maxSamples` is the maximum; -1 for all. */
export const sampleSize = (rowCount: number, maxSamples: number): number =>
  maxSamples < 0 ? rowCount : Math.min(rowCount, maxSamples);
