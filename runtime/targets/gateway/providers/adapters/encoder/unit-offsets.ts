/** Returns a function that converts an offset in Unicode code points to one in UTF-16 code units. */
export function unitOffsets(text: string): (codePoints: number) => number {
  if (!/[\uD800-\uDBFF]/.test(text)) return (count) => Math.min(count, text.length);
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  return (count) => offsets[count] ?? text.length;
}
