/** Progress of a transform, in memory shared between the thread that runs it and the thread that watches it. */
export type Progress = Int32Array;

export const NO_ROW = -1;

export function createProgress(): Progress {
  const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  progress[0] = NO_ROW;
  return progress;
}

/** Records the batch row that the transform is working on, or that there is none. */
export function markRow(progress: Progress, row: number): void {
  Atomics.store(progress, 0, row);
  Atomics.add(progress, 1, 1);
}

/** Returns the current row, and a counter that changes with every row. */
const readProgress = (progress: Progress): { row: number; step: number } => ({
  row: Atomics.load(progress, 0),
  step: Atomics.load(progress, 1),
});

/**
 * Calls `onStuck` with the row that a transform is stuck on. Lua stops long-running scripts itself,
 * but not inside a library function. Returns a function that stops the watch.
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
