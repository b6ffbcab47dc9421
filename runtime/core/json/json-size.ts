import { stringEnd } from './string-end.ts';

// Structural characters of JSON as UTF-8 bytes.
const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Memory of a parsed value in bytes, besides its text: an empty list or object, and any member or item. */
const CONTAINER_BYTES = 64;
const ITEM_BYTES = 16;

export interface JsonLimits {
  readonly maxDepth: number;
  /** Maximum number of values, counted with those in lists and objects. */
  readonly maxValues: number;
}

/** The limit that a JSON text exceeds, or the memory that its lists and objects need when it is parsed. */
export type JsonSize = { readonly exceeds: keyof JsonLimits } | { readonly heapBytes: number };

/** Measures a JSON text without parsing it. In invalid JSON the counts are meaningless, but also bounded by its length. */
export function measureJson(json: Uint8Array, { maxDepth, maxValues }: JsonLimits): JsonSize {
  let depth = 0;
  let containers = 0;
  let commas = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = stringEnd(json, at) - 1;
    } else if (byte === COMMA) {
      commas += 1;
    } else if (byte === LIST_END || byte === OBJECT_END) {
      depth -= 1;
    } else if (byte === LIST || byte === OBJECT) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth) return { exceeds: 'maxDepth' };
    } else continue;
    // There are more values than containers, and than commas: each value but the first of its list or object follows one.
    if (containers > maxValues || commas > maxValues) return { exceeds: 'maxValues' };
  }
  return { heapBytes: containers * CONTAINER_BYTES + commas * ITEM_BYTES };
}
