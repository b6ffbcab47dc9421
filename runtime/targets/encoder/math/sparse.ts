import { greatestItems } from './greatest.ts';

/** A vector's nonzero values, ordered by index. */
export interface SparseVector {
  readonly indices: readonly number[];
  readonly values: Float32Array;
}

/**
 * Keeps the nonzero values: all of them, or the `limit` largest ones, preferring the lowest index
 * among equal values.
 */
export function toSparse(vector: Float32Array, limit?: number): SparseVector {
  const active: number[] = [];
  for (const [index, value] of vector.entries()) if (value !== 0) active.push(index);
  return limited(active, (index) => vector[index] ?? 0, limit);
}

/**
 * Computes a text's sparse vector from the weights of its tokens. If a token occurs several times,
 * its largest weight is used. Skipped token ids and weights that are not positive are omitted.
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

/**
 * A query's sparse vector, if the weights of tokens come from a table: the weight of each token of
 * the query. `limit` is as for `toSparse`.
 */
export function sparseOfTable(ids: Int32Array, weights: Float32Array, limit?: number): SparseVector {
  const weightOf = (id: number): number => weights[id] ?? 0;
  const active = [...new Set(ids)].filter((id) => weightOf(id) !== 0).sort((left, right) => left - right);
  return limited(active, weightOf, limit);
}

/** The vector with these ascending indices, reduced to the `limit` largest values if set. */
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

/** The dot product of two vectors; zero if the first one is missing. */
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

/** Converts two sparse vectors to lists of equal length, with all dimensions that occur in either vector. */
export function alignSparse(one: ReadVector, other: ReadVector): [one: number[], other: number[]] {
  const indices = [...new Set([...one.indices, ...other.indices])];
  const spread = ({ indices: own, values }: ReadVector): number[] => {
    const byIndex = new Map(own.map((index, at) => [index, values[at] ?? 0]));
    return indices.map((index) => byIndex.get(index) ?? 0);
  };
  return [spread(one), spread(other)];
}
