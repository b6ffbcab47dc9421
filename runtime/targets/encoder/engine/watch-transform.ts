import { NO_ROW, type Progress, readProgress } from './progress.ts';

/**
 * Calls `onStuck` with the row that a transform does not get past. Lua itself stops what runs too long, but not inside one
 * function of its libraries. Returns a function that ends the watch.
 */
export function watchTransform(
  progress: Progress,
  seconds: number,
  onStuck: (row: number) => void,
): () => void {
  let seen: number | undefined;
  const look = setInterval(() => {
    const { row, step } = readProgress(progress);
    if (row !== NO_ROW && step === seen) onStuck(row);
    seen = row === NO_ROW ? undefined : step;
  }, seconds * 1000);
  // It keeps no process alive.
  look.unref();
  return () => clearInterval(look);
}
