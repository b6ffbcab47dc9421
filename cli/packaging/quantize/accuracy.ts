import type { QuantizationAccuracy } from '#contract/quantization.ts';
import { argmax } from '#core/numbers/argmax.ts';
import { greatest, least } from '#core/numbers/extremes.ts';
import { cosineText } from '#core/model/manifest-facts.ts';

/** A model's output for one text, in comparable form. */
export type Compared =
  /** Vectors: one for the text, or one per token. */
  | { readonly kind: 'vectors'; readonly rows: readonly Float32Array[] }
  /** Label scores: one row for the text, or one per token. */
  | { readonly kind: 'scores'; readonly rows: readonly Float32Array[] }
  /** A single score, by which texts are ranked. */
  | { readonly kind: 'score'; readonly value: number };

/** Converts a graph's output for one text to the form that is compared. */
export type Compare = (values: Float32Array) => Compared;

/** Returns how close a quantized model's results are to the original results for the same texts. */
export function accuracyOf(
  original: readonly Compared[],
  quantized: readonly Compared[],
): QuantizationAccuracy {
  const texts = original.length;
  const pairs = original.map((result, at) => [result, quantized[at] ?? result] as const);
  const rows = pairs.flatMap(([a, b]) =>
    a.kind === 'score' || b.kind === 'score'
      ? []
      : a.rows.map((row, at) => [row, b.rows[at] ?? new Float32Array(row.length)] as const),
  );
  const [first] = original;
  if (first?.kind === 'vectors') {
    const cosines = rows.map(([a, b]) => cosine(a, b));
    const ofTexts = rows.length === texts && texts > NEIGHBORS;
    const [before, after] = [rows.map(([row]) => row), rows.map(([, row]) => row)];
    return {
      texts,
      cosine: { mean: mean(cosines), worst: least(cosines) },
      ...(ofTexts ? { neighbors: neighborsKept(before, after) } : {}),
    };
  }
  if (first?.kind === 'score') {
    const values = pairs.map(([a, b]) => [valueOf(a), valueOf(b)] as const);
    return {
      texts,
      agreement: orderKept(values),
      scoreDifference: greatest(values.map(([a, b]) => Math.abs(a - b))),
    };
  }
  const agreeing = rows.filter(([a, b]) => argmax(a) === argmax(b));
  return {
    texts,
    agreement: agreeing.length / rows.length,
    scoreDifference: rows.reduce((most, [a, b]) => Math.max(most, largestDifference(a, b)), 0),
  };
}

/**
 * Returns how far quantized results are from the original ones, regardless of the kind of results:
 * 0 if the numbers for each text, seen as vectors, have the same direction.
 */
export const driftOf = (original: readonly Float32Array[], quantized: readonly Float32Array[]): number =>
  mean(original.map((row, at) => 1 - cosine(row, quantized[at] ?? new Float32Array(row.length))));

/** Number of nearest texts to compare for each text. */
const NEIGHBORS = 10;

/** Returns the average share of a text's nearest texts that remain among its nearest texts. */
export function neighborsKept(before: readonly Float32Array[], after: readonly Float32Array[]): number {
  const [a, b] = [nearest(before), nearest(after)];
  return mean(a.map((own, text) => own.filter((other) => b[text]?.includes(other)).length / NEIGHBORS));
}

const nearest = (vectors: readonly Float32Array[]): number[][] =>
  vectors.map((vector, text) =>
    vectors
      .map((other, index) => ({ index, similarity: cosine(vector, other) }))
      .filter(({ index }) => index !== text)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, NEIGHBORS)
      .map(({ index }) => index),
  );

/** Returns the share of text pairs that keep their order. */
function orderKept(values: readonly (readonly [number, number])[]): number {
  const kept = values.flatMap(([a, b], at) =>
    values.slice(at + 1).map(([c, d]) => (Math.sign(a - c) === Math.sign(b - d) ? 1 : 0)),
  );
  return kept.length === 0 ? 1 : mean(kept);
}

const valueOf = (result: Compared): number => (result.kind === 'score' ? result.value : 0);

const largestDifference = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] ?? 0))), 0);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  // Treats two zero vectors as equal.
  return ofA === 0 && ofB === 0 ? 1 : product / Math.sqrt(Math.max(ofA * ofB, Number.MIN_VALUE));
}

/** The accuracy that a quantized model must reach. */
export interface Thresholds {
  /** For vectors: the mean cosine similarity to the original ones. */
  readonly minCosine: number;
  /** For labels: the share of labels that stay the same. */
  readonly minAgreement: number;
}

/**
 * Returns why a quantized model is not accurate enough, with the measured value; undefined if it is
 * accurate enough.
 */
export function reasonAgainst(
  { cosine, agreement }: QuantizationAccuracy,
  { minCosine, minAgreement }: Thresholds,
): string | undefined {
  // The negated comparisons also reject NaN.
  if (cosine && !(cosine.mean >= minCosine))
    return `the mean cosine to float32 is ${cosineText(cosine.mean)}, below \`min_cosine\` (${minCosine})`;
  if (agreement !== undefined && !(agreement >= minAgreement))
    return `${(agreement * 100).toFixed(1)}% of the labels agree with float32, below \`min_agreement\` (${minAgreement})`;
  return undefined;
}
