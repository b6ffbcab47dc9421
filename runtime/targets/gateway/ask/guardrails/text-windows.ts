/**
 * Splits a text into windows of at most `size` UTF-16 code units, each starting `overlap` before the end of the previous one:
 * any text shorter than the overlap is complete in one of them.
 */
export function textWindows(text: string, size: number, overlap: number): string[] {
  const step = size - overlap;
  if (step < 1) throw new RangeError(`The overlap (${overlap}) must be smaller than the window (${size}).`);
  const windows = [text.slice(0, size)];
  for (let at = step; at + overlap < text.length; at += step) windows.push(text.slice(at, at + size));
  return windows.filter((window) => window.trim() !== '');
}
