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
