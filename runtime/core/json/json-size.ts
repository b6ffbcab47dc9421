import type { Steps } from '../limits/steps.ts';
import { stringEnd } from './string-end.ts';

// JSON's structural characters as UTF-8 bytes.
const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/**
 * Memory in bytes that parsed values need in addition to the text: for an empty list or object, and
 * for each member or item.
 */
const CONTAINER_BYTES = 64;
const ITEM_BYTES = 16;

export interface JsonLimits {
  readonly maxDepth: number;
  /** Maximum number of values, including those inside lists and objects. */
  readonly maxValues: number;
}

/** The limit that a JSON text exceeds, or the memory that its lists and objects need when it is parsed. */
export type JsonSize = { readonly exceeds: keyof JsonLimits } | { readonly heapBytes: number };

/** Number of bytes to measure per step. */
const STEP = 128 * 1024;

/**
 * Measures a JSON text without parsing it. For invalid JSON, the counts are meaningless, but
 * limited by the length of the text.
 */
export function* measureJson(json: Uint8Array, limits: JsonLimits): Steps<JsonSize> {
  const counts: Counts = { at: 0, depth: 0, containers: 0, commas: 0 };
  while (counts.at < json.length) {
    const exceeds = count(json, counts, limits);
    if (exceeds !== undefined) return { exceeds };
    if (counts.at < json.length) yield;
  }
  return { heapBytes: counts.containers * CONTAINER_BYTES + counts.commas * ITEM_BYTES };
}

interface Counts {
  at: number;
  depth: number;
  containers: number;
  commas: number;
}

/** Counts the values in the next part of the text. Returns the limit that is exceeded, if any. */
function count(
  json: Uint8Array,
  counts: Counts,
  { maxDepth, maxValues }: JsonLimits,
): keyof JsonLimits | undefined {
  let { at, depth, containers, commas } = counts;
  const end = Math.min(json.length, at + STEP);
  for (; at < end; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      // The string can end after this part of the text.
      at = stringEnd(json, at) - 1;
    } else if (byte === COMMA) {
      commas += 1;
    } else if (byte === LIST_END || byte === OBJECT_END) {
      depth -= 1;
    } else if (byte === LIST || byte === OBJECT) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth) return 'maxDepth';
    } else continue;
    // There are at least as many values as commas or containers: every container is a value, and
    // every comma is followed by one.
    if (containers > maxValues || commas > maxValues) return 'maxValues';
  }
  Object.assign(counts, { at, depth, containers, commas });
  return undefined;
}
