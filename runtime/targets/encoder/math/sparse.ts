import { greatestItems } from './greatest.ts';

/** The values of a vector that are not zero, ordered by index. */
export interface SparseVector {
  readonly indices: readonly number[];
  readonly values: Float32Array;
}

/** Keeps the values that are not zero: all, or the `limit` largest ones, of equal ones those with the lowest index. */
export function toSparse(vector: Float32Array, limit?: number): SparseVector {
  const active: number[] = [];
  for (const [index, value] of vector.entries()) if (value !== 0) active.push(index);
  return limited(active, (index) => vector[index] ?? 0, limit);
}

/**
 * The sparse vector of a text from a weight for each of its tokens: equal tokens have the largest of their weights. Tokens whose ids are
 * skipped, and weights that are not positive, are omitted.
 */
export function sparseOfTokens(
  ids: Int32Array,
  weights: Float32Array,
  skipped: readonly number[],
  limit?: number,
): SparseVector {
  const without = new Set(skipped);
  const byId = new Map<number, number>();
  for (const [at, id] of ids.entries()) {
    const weight = weights[at] ?? 0;
    if (weight > (byId.get(id) ?? 0) && !without.has(id)) byId.set(id, weight);
  }
  const active = [...byId.keys()].sort((left, right) => left - right);
  return limited(active, (id) => byId.get(id) ?? 0, limit);
}

/** The vector with these ascending indices, or with the `limit` of them that have the largest values. */
function limited(
  active: readonly number[],
  valueAt: (index: number) => number,
  limit = Infinity,
): SparseVector {
  const indices =
    active.length <= limit
      ? active
      : greatestItems(active, valueAt, limit).sort((left, right) => left - right);
  return { indices, values: Float32Array.from(indices, valueAt) };
}

/** The dot product of two vectors; zero without the first one. */
export function sparseDot(one: ReadVector | undefined, other: SparseVector): number {
  const values = new Map(one?.indices.map((index, at) => [index, one.values[at] ?? 0]));
  return other.indices.reduce(
    (sum, index, at) => sum + (values.get(index) ?? 0) * (other.values[at] ?? 0),
    0,
  );
}

export interface ReadVector {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** Two vectors as lists of equal length, with the dimensions that either of them has. */
export function alignSparse(one: ReadVector, other: ReadVector): [one: number[], other: number[]] {
  const indices = [...new Set([...one.indices, ...other.indices])];
  const spread = ({ indices: own, values }: ReadVector): number[] => {
    const byIndex = new Map(own.map((index, at) => [index, values[at] ?? 0]));
    return indices.map((index) => byIndex.get(index) ?? 0);
  };
  return [spread(one), spread(other)];
}
