import { inputError } from '#contract/errors.ts';

export type Vector = Readonly<ArrayLike<number>>;

/** Cosine of two vectors; 0 if one is a zero vector, as in scikit-learn's `cosine_similarity`. */
export function cosine(one: Vector, other: Vector): number {
  if (one.length !== other.length || one.length === 0) throw unevenVectors(one, other);
  let [product, ofOne, ofOther] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] ?? 0, other[at] ?? 0];
    product += a * b;
    ofOne += a * a;
    ofOther += b * b;
  }
  const lengths = Math.sqrt(ofOne) * Math.sqrt(ofOther);
  if (!Number.isFinite(product) || !Number.isFinite(lengths)) throw notFinite();
  return lengths === 0 ? 0 : product / lengths;
}

const unevenVectors = (one: Vector, other: Vector): Error =>
  inputError(
    `Vectors of ${one.length} and ${other.length} dimensions cannot be compared. They must have the same size of at least 1.`,
  );

const notFinite = (): Error =>
  inputError(
    'A vector contains a number that is not finite or is too large. A cosine requires finite numbers.',
  );
