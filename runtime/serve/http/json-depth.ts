import { stringEnd } from '../../core/json/string-end.ts';

// Structural characters of JSON as UTF-8 bytes.
const QUOTE = 0x22;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Whether lists and objects of a JSON text are nested deeper than `maxDepth`, without parsing it. */
export function isNestedDeeper(json: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = stringEnd(json, at) - 1;
    } else if (byte === LIST_END || byte === OBJECT_END) {
      depth -= 1;
    } else if (byte === LIST || byte === OBJECT) {
      depth += 1;
      if (depth > maxDepth) return true;
    }
  }
  return false;
}
