/** A window of a text and where it begins. */
export interface TextWindow {
  readonly start: number;
  readonly text: string;
}

/**
 * Splits a text into windows of at most `size` UTF-16 code units, each starting `overlap` before the end of the previous one:
 * any text shorter than the overlap is complete in one of them.
 */
export function placedWindows(text: string, size: number, overlap: number): TextWindow[] {
  const step = size - overlap;
  if (step < 1) throw new RangeError(`The overlap (${overlap}) must be smaller than the window (${size}).`);
  const windows = [{ start: 0, text: text.slice(0, size) }];
  for (let at = step; at + overlap < text.length; at += step)
    windows.push({ start: at, text: text.slice(at, at + size) });
  return windows.filter((window) => window.text.trim() !== '');
}

export const textWindows = (text: string, size: number, overlap: number): string[] =>
  placedWindows(text, size, overlap).map((window) => window.text);
