import { sortedOrder } from '../metrics/sorted-order.ts';

export interface LengthGroup {
  /** Shortest and longest text in characters. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly mean: number;
}

/** Mean score against text length: rows with a score, sorted by length, in groups of about equal size. */
export function lengthGroups(
  lengths: ArrayLike<number>,
  scores: Float64Array,
  groups = 10,
): readonly LengthGroup[] {
  const known = scores.map((score, at) => (Number.isNaN(score) ? score : (lengths[at] ?? 0)));
  const order = sortedOrder(known);
  const rows = order.subarray(0, scores.filter((score) => !Number.isNaN(score)).length);
  const size = Math.min(groups, rows.length);
  return Array.from({ length: size }, (_, group) => {
    const own = rows.slice(
      Math.floor((group * rows.length) / size),
      Math.floor(((group + 1) * rows.length) / size),
    );
    const sum = own.reduce((total, at) => total + (scores[at] ?? 0), 0);
    return {
      from: lengths[own[0] ?? 0] ?? 0,
      to: lengths[own.at(-1) ?? 0] ?? 0,
      rows: own.length,
      mean: sum / own.length,
    };
  });
}
