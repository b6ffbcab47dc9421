/** Counts the Unicode code points of a text without creating a list. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const isPair =
      (text.charCodeAt(at) & 0xfc_00) === 0xd8_00 && (text.charCodeAt(at + 1) & 0xfc_00) === 0xdc_00;
    if (isPair) count -= 1;
  }
  return count;
}

/** The first `count` code points of a text. */
export function startOfText(text: string, count: number): string {
  // A text never has more code points than UTF-16 code units.
  if (text.length <= count) return text;
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left--) {
    end += (text.codePointAt(end) ?? 0) > 0xff_ff ? 2 : 1;
  }
  return text.slice(0, end);
}
