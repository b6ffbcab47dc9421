// Structural characters of JSON as UTF-8 bytes.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Whether lists and objects of a JSON text are nested deeper than `most`, without parsing it. */
export function isNestedDeeper(json: Uint8Array, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfText(json, at);
    } else if (byte === LIST_END || byte === OBJECT_END) {
      depth -= 1;
    } else if (byte === LIST || byte === OBJECT) {
      depth += 1;
      if (depth > most) return true;
    }
  }
  return false;
}

/** Returns the position of the quote that ends the string starting at `start`. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
