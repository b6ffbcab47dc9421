import { NO_ROW, type Progress, readProgress } from './progress.ts';

/**
 * Calls `onStuck` with the row that a transform is stuck on. Lua stops long-running scripts itself, but not inside a library
 * function. Returns a function that stops the watch.
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
  // The timer must not keep the process alive.
  look.unref();
  return () => clearInterval(look);
}
