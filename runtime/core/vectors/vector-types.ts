import { inputError } from '#contract/errors.ts';

/**
 * The types of vectors that requests can choose, as in sentence-transformers' `quantize_embeddings`
 * and in the Voyage and Cohere APIs.
 */
export const VECTOR_TYPES = ['float', 'int8', 'uint8', 'binary', 'ubinary'] as const;
export type VectorType = (typeof VECTOR_TYPES)[number];
export type IntegerType = Exclude<VectorType, 'float'>;

/** One form of a vector in a response: its type, as a JSON array of numbers or as base64 of its bytes. */
export interface VectorForm {
  readonly type: VectorType;
  readonly format: 'json' | 'base64';
}

/**
 * The names of forms in APIs that have one list for types and encodings: each type as a JSON array
 * of numbers, and float32 as base64.
 */
export const NAMED_FORMS = [...VECTOR_TYPES, 'base64'] as const;
export type FormName = (typeof NAMED_FORMS)[number];

export const formNamed = (name: FormName): VectorForm =>
  name === 'base64' ? { type: 'float', format: 'base64' } : { type: name, format: 'json' };

/** Describes all types, for API documents. */
export const VECTOR_TYPES_NOTE =
  '`float`: float32. `int8`: each value divided by the scale and rounded, from -127 to 127; `uint8`: the same plus 128. ' +
  '`ubinary`: one bit per dimension, 1 for values greater than 0, with the first dimension in the most significant bit of the first byte; `binary`: these bytes minus 128. ' +
  'If the number of dimensions is not a multiple of 8, the last byte ends with zero bits.';

/** Converts a vector to integers. Values must be finite, and for `int8` and `uint8` the vector must have length 1. */
export const toIntegers = (vector: Float32Array, type: IntegerType): Int8Array | Uint8Array =>
  CONVERT[type](vector);

const CONVERT: Record<IntegerType, (vector: Float32Array) => Int8Array | Uint8Array> = {
  int8: scaled,
  uint8: (vector) => Uint8Array.from(scaled(vector), (value) => value + 128),
  binary: (vector) => Int8Array.from(packSigns(vector), (byte) => byte - 128),
  ubinary: packSigns,
};

/**
 * The value of one step of an `int8` vector with this many dimensions: multiplying an integer by
 * the scale returns the value. The scale does not depend on the vector, so dot products of any two
 * vectors can be compared. The values of a vector of length 1 have a mean square of
 * 1 / `dimensions`, so a range that shrinks with the root uses the steps for values that occur.
 */
export const int8Scale = (dimensions: number): number =>
  Math.min(1, MAX_DEVIATIONS / Math.sqrt(dimensions)) / MAX_INT8;

const MAX_INT8 = 127;
/**
 * The largest value that is not clipped, in multiples of the root mean square of a vector's values.
 * Some models have dimensions with values of more than ten times the root mean square. Clipping
 * these values changes the order of the results much more than coarser steps do (measured).
 */
const MAX_DEVIATIONS = 12;

/** `int8Scale` as a formula, for API documents. */
export const INT8_SCALE_FORMULA = `min(1, ${MAX_DEVIATIONS} / sqrt(dimensions)) / ${MAX_INT8}`;

function scaled(vector: Float32Array): Int8Array {
  const steps = 1 / int8Scale(vector.length);
  const integers = new Int8Array(vector.length);
  for (let at = 0; at < vector.length; at++) {
    const value = Math.round((vector[at] ?? 0) * steps);
    integers[at] = Math.max(-MAX_INT8, Math.min(MAX_INT8, value));
  }
  return integers;
}

/** Packs the signs of the values into bytes, as `numpy.packbits(vector > 0)` does. */
function packSigns(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(vector.length / 8));
  for (let at = 0; at < vector.length; at++) {
    if ((vector[at] ?? 0) > 0) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7));
  }
  return bytes;
}

/** Types whose fixed scale requires vectors of length 1. */
const SCALED: ReadonlySet<VectorType> = new Set(['int8', 'uint8']);

/** Rejects vectors that are not normalized for types with a fixed scale. */
export function checkNormalized(types: readonly VectorType[], normalize: boolean): void {
  const type = types.find((one) => SCALED.has(one));
  if (type === undefined || normalize) return;
  throw inputError(
    `normalize is false, but ${type} requires normalized vectors. Remove normalize, or request float, binary or ubinary.`,
  );
}
