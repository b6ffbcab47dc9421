/**
 * Progress of a transform, in memory that is shared by the thread that runs the transform and the
 * thread that monitors it.
 */
export type Progress = Int32Array;

export const NO_ROW = -1;

export function createProgress(): Progress {
  const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  progress[0] = NO_ROW;
  return progress;
}

/** Records which row of the batch the transform is processing, or that it is processing none. */
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
 * Calls `onStuck` with the row at which a transform is stuck. Lua itself stops long-running
 * scripts, but not while they run a library function. Returns a function that stops the monitoring.
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
