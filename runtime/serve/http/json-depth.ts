// What JSON is made of, as bytes of UTF-8.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Whether the JSON text has more than `most` lists and objects inside each other, without parsing it. */
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

/** Where the quote is that ends the text which starts at `start`. */
function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
