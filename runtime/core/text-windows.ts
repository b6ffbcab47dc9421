/**
 * Parts of a text, each of at most `size` UTF-16 code units, that begin `overlap` before the end of the one before: what is
 * short enough to fit into the overlap is whole in one of them.
 */
export function textWindows(text: string, size: number, overlap: number): string[] {
  const step = size - overlap;
  if (step < 1) throw new RangeError(`Windows of ${size} cannot overlap by ${overlap}.`);
  const windows = [text.slice(0, size)];
  for (let at = step; at + overlap < text.length; at += step) windows.push(text.slice(at, at + size));
  return windows.filter((window) => window.trim() !== '');
}
