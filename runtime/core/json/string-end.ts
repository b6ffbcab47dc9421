const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Number of bytes to check one by one before using a native search, which is slower for short
 * strings and for strings with many escapes.
 */
const STEP = 256;

/**
 * Returns the position after the quote that ends the JSON string starting at `start`; the length of
 * the text if there is none.
 */
export function stringEnd(json: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    const limit = Math.min(json.length, at + STEP);
    while (at < limit) {
      const byte = json[at];
      if (byte === QUOTE) return at + 1;
      at += byte === BACKSLASH ? 2 : 1;
    }
    if (at >= json.length) return json.length;
    const quote = json.indexOf(QUOTE, at);
    if (quote === -1) return json.length;
    let before = quote - 1;
    while (before >= at && json[before] === BACKSLASH) before -= 1;
    // An even number of backslashes before the quote escape each other.
    if ((quote - before) % 2 === 1) return quote + 1;
    at = quote + 1;
  }
}
