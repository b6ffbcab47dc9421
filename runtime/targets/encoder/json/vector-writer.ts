import { toIntegers, type VectorForm } from '#core/vectors/vector-types.ts';
import { encodeJson } from './json-writer.ts';

/**
 * The forms of a vector in a result: `json` and `base64` stand for one float32 vector in this
 * format.
 */
export type VectorFormat = VectorForm['format'] | readonly VectorForm[];

/**
 * Encodes a vector as a JSON array of numbers, or as a JSON string with the base64-encoded bytes of
 * its values. Several forms are separated by line feeds, which never occur within a form.
 */
export function encodeVector(vector: Float32Array, format: VectorFormat): Uint8Array {
  if (format === 'json') return encodeJson(vector);
  if (format === 'base64') return encodeBase64(vector);
  return joinForms(format.map((form) => encodeForm(vector, form)));
}

/** Encodes several vectors, separated by line feeds. */
export const encodeVectors = (vectors: readonly Float32Array[], format: VectorFormat): Uint8Array =>
  joinForms(vectors.map((vector) => encodeVector(vector, format)));

const joinForms = (forms: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(forms.flatMap((form, at) => (at === 0 ? [form] : [LINE_FEED, form])));

function encodeForm(vector: Float32Array, { type, format }: VectorForm): Uint8Array {
  if (type === 'float') return encodeVector(vector, format);
  const integers = toIntegers(vector, type);
  return format === 'base64' ? encodeBase64(integers) : Buffer.from(`[${integers.join(',')}]`);
}

function encodeBase64({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return Buffer.from(`"${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}"`);
}

/** Splits a result of `encodeVector` or a list of such results into its forms. */
export function splitForms(result: Uint8Array): Uint8Array[] {
  const forms: Uint8Array[] = [];
  let start = 0;
  for (let end = result.indexOf(LF); end >= 0; end = result.indexOf(LF, start)) {
    forms.push(result.subarray(start, end));
    start = end + 1;
  }
  return [...forms, result.subarray(start)];
}

const LF = 0x0a;
const LINE_FEED = Uint8Array.of(LF);
