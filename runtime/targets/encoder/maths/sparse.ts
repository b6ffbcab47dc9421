import { greatest } from './greatest.ts';

/** The values of a vector that are not zero, ordered by index. */
export interface SparseVector {
  readonly indices: readonly number[];
  readonly values: Float32Array;
}

/** Keeps the values that are not zero: all, or the `limit` greatest ones, of equal ones those with the lowest index. */
export function toSparse(vector: Float32Array, limit = Infinity): SparseVector {
  const active: number[] = [];
  for (const [index, value] of vector.entries()) if (value !== 0) active.push(index);
  const valueAt = (index: number): number => vector[index] ?? 0;
  const indices =
    active.length <= limit ? active : greatest(active, valueAt, limit).sort((left, right) => left - right);
  return { indices, values: Float32Array.from(indices, valueAt) };
}

interface ReadVector {
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
