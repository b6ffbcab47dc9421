import type { Similarity } from '#contract/sentence.ts';

type Vector = readonly number[] | Float32Array;

/**
 * Compares two vectors of equal length. For `cosine`, they must be L2-normalized. Distances are
 * negated, so that greater numbers always mean greater similarity.
 */
export const similarityOf = (similarity: Similarity, one: Vector, other: Vector): number =>
  COMPARE[similarity](one, other);

const COMPARE: Record<Similarity, (one: Vector, other: Vector) => number> = {
  cosine: dot,
  dot,
  euclidean: (one, other) => -Math.sqrt(sumOver(one, other, (a, b) => (a - b) ** 2)),
  manhattan: (one, other) => -sumOver(one, other, (a, b) => Math.abs(a - b)),
};

function dot(one: Vector, other: Vector): number {
  return sumOver(one, other, (a, b) => a * b);
}

function sumOver(one: Vector, other: Vector, term: (a: number, b: number) => number): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += term(one[at] ?? 0, other[at] ?? 0);
  return sum;
}
