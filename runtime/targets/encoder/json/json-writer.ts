import { FLOATS_SLACK, writeFloats, JsonBytes } from './json-bytes.ts';

/**
 * Encodes JSON as UTF-8 bytes: plain data like JSON.stringify, and a Float32Array as a list of numbers in their shortest
 * float32 form (0.1, not 0.10000000149011612). The memory of the result is not shared.
 */
export function encodeJson(value: unknown): Uint8Array<ArrayBuffer> {
  const target = new JsonBytes(likelySize(value));
  writeValue(target, value);
  return target.written();
}

/** Same for a single vector. */
export const encodeFloats = (values: Float32Array): Uint8Array<ArrayBuffer> => encodeJson(values);

/** Encodes a vector as a JSON array of numbers, or as a JSON string with base64-encoded float32 values. */
export function encodeVector(vector: Float32Array, format: 'json' | 'base64'): Uint8Array {
  if (format === 'json') return encodeJson(vector);
  const base64 = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
  return Buffer.from(`"${base64}"`);
}

/** Growing copies the buffer and new memory is slow, so floats, which make up most of a large response, are counted first. */
const likelySize = (value: unknown): number =>
  SMALL_SIZE + FLOATS_SLACK + Math.min(estimateFloats(value) * LIKELY_BYTES_PER_FLOAT, MAX_ESTIMATED_FLOATS);

/** Number of floats if all items of a list resemble the first. */
export function estimateFloats(value: unknown): number {
  if (value instanceof Float32Array) return value.length;
  if (Array.isArray(value)) return value.length === 0 ? 0 : value.length * estimateFloats(value[0]);
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const part of Object.values(value)) count += estimateFloats(part);
  return count;
}

function writeValue(target: JsonBytes, value: unknown): void {
  if (typeof value === 'string') writeString(target, value);
  else if (value instanceof Float32Array) writeVector(target, value);
  else if (Array.isArray(value)) writeList(target, value);
  else if (typeof value === 'object' && value !== null) writeObject(target, value);
  else if (typeof value === 'number') target.ascii(Number.isFinite(value) ? String(value) : 'null');
  else target.ascii(JSON.stringify(value) ?? 'null');
}

function writeVector(target: JsonBytes, values: Float32Array): void {
  const start = target.at;
  target.reserve(2);
  writeFloats(target, values);
  // Overwrites the comma before the first number.
  target.bytes[start] = OPEN_LIST;
  if (values.length === 0) target.at += 1;
  target.byte(CLOSE_LIST);
}

function writeList(target: JsonBytes, items: readonly unknown[]): void {
  target.byte(OPEN_LIST);
  let first = true;
  for (const item of items) {
    if (!first) target.byte(COMMA);
    first = false;
    writeValue(target, item);
  }
  target.byte(CLOSE_LIST);
}

function writeObject(target: JsonBytes, members: object): void {
  target.byte(OPEN_OBJECT);
  let first = true;
  for (const name of Object.keys(members)) {
    const value = (members as Members)[name];
    if (value === undefined) continue;
    if (!first) target.byte(COMMA);
    first = false;
    writeString(target, name);
    target.byte(COLON);
    writeValue(target, value);
  }
  target.byte(CLOSE_OBJECT);
}

function writeString(target: JsonBytes, text: string): void {
  if (text.length <= SHORT && target.quoted(text)) return;
  target.text(JSON.stringify(text));
}

type Members = Readonly<Record<string, unknown>>;

const SMALL_SIZE = 1024;
const LIKELY_BYTES_PER_FLOAT = 13;
/** Limit on this estimate, because the first item may differ from the rest. */
const MAX_ESTIMATED_FLOATS = 4 * 2 ** 20;
const SHORT = 64;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
