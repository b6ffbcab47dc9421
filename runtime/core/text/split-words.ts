/**
 * Splits a text into words as GLiNER models do (`WhitespaceTokenSplitter` of the gliner package):
 * letters and digits, joined by single hyphens and underscores; every other non-whitespace
 * character is a separate word. Returns the start and end of each word, in UTF-16 code units. Stops
 * after `limit` words.
 */
export function splitWords(text: string, limit = Infinity): number[] {
  const offsets: number[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (offsets.length >= limit * 2) break;
    offsets.push(index, index + word.length);
  }
  return offsets;
}

/**
 * Character classes of Python's `re`, which differ from JavaScript's: `\w` covers letters and
 * digits of all languages without combining marks, and `\s` includes the control characters U+001C
 * to U+001F and U+0085, but not U+FEFF.
 */
const WORD =
  // oxlint-disable-next-line no-control-regex -- These control characters are white space for Python.
  /[\p{L}\p{N}_]+(?:[-_][\p{L}\p{N}_]+)*|[^\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/gu;
