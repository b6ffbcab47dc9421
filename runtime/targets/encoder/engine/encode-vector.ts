import { encodeJson } from '../json/json-writer.ts';

/** Encodes a vector as a JSON array of numbers, or as a JSON string with base64-encoded float32 values. */
export function encodeVector(vector: Float32Array, format: 'json' | 'base64'): Uint8Array {
  if (format === 'json') return encodeJson(vector);
  const base64 = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
  return Buffer.from(`"${base64}"`);
}
