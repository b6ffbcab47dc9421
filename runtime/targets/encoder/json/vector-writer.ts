import { toIntegers, type VectorForm } from '#core/vectors/vector-types.ts';
import { JsonBytes, likelySize, writeJson } from './json-writer.ts';

/**
 * The forms of a vector in a result: `json` and `base64` stand for one float32 vector in this
 * format.
 */
export type VectorFormat = VectorForm['format'] | readonly VectorForm[];

/** Encodes a vector as `writeVector` writes it. */
export function encodeVector(vector: Float32Array, format: VectorFormat): Uint8Array {
  const target = new JsonBytes(likelySize(vector));
  writeVector(target, vector, format);
  return target.written();
}

/**
 * Writes a vector as a JSON array of numbers, or as a JSON string with the base64-encoded bytes of
 * its values. Several forms are separated by line feeds, which never occur within a form.
 */
export function writeVector(target: JsonBytes, vector: Float32Array, format: VectorFormat): void {
  if (format === 'json') return writeJson(target, vector);
  if (format === 'base64') return target.base64(vector);
  for (const [at, { type, format: written }] of format.entries()) {
    if (at > 0) target.byte(LINE_FEED);
    if (type === 'float') writeVector(target, vector, written);
    else writeIntegers(target, toIntegers(vector, type), written);
  }
}

/** Writes several vectors, separated by line feeds. */
export function writeVectors(
  target: JsonBytes,
  vectors: readonly Float32Array[],
  format: VectorFormat,
): void {
  for (const [at, vector] of vectors.entries()) {
    if (at > 0) target.byte(LINE_FEED);
    writeVector(target, vector, format);
  }
}

function writeIntegers(
  target: JsonBytes,
  integers: ReturnType<typeof toIntegers>,
  format: VectorForm['format'],
): void {
  if (format === 'base64') target.base64(integers);
  else target.ascii(`[${integers.join(',')}]`);
}

/** Splits a result of `encodeVector` or a list of such results into its forms. */
export function splitForms(result: Uint8Array): Uint8Array[] {
  const forms: Uint8Array[] = [];
  let start = 0;
  for (let end = result.indexOf(LINE_FEED); end >= 0; end = result.indexOf(LINE_FEED, start)) {
    forms.push(result.subarray(start, end));
    start = end + 1;
  }
  return [...forms, result.subarray(start)];
}

const LINE_FEED = 0x0a;
