/**
 * White space at which Python splits words, and thus the reference tools. `\s` also includes U+FEFF, and lacks U+001C to U+001F
 * and U+0085.
 */
// oxlint-disable-next-line no-control-regex -- They are among the separators.
const WHITE_SPACE = /[\p{White_Space}\u001C-\u001F]+/u;

export const splitWords = (text: string): string[] => text.split(WHITE_SPACE).filter((word) => word !== '');

export function trimStart(text: string): string {
  let start = 0;
  while (start < text.length && WHITE_SPACE.test(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** Trims without a pattern anchored to the end, which would try every run of spaces in the text. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && WHITE_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
