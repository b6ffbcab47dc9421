/** Progress of a transform, in memory shared between the thread that runs it and the thread that watches it. */
export type Progress = Int32Array;

export const NO_ROW = -1;

export function createProgress(): Progress {
  const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  progress[0] = NO_ROW;
  return progress;
}

/** Records the row of the batch that the transform works on, or that it works on none. */
export function markRow(progress: Progress, row: number): void {
  Atomics.store(progress, 0, row);
  Atomics.add(progress, 1, 1);
}

/** Returns the current row, and a counter that changes with every row. */
export const readProgress = (progress: Progress): { row: number; step: number } => ({
  row: Atomics.load(progress, 0),
  step: Atomics.load(progress, 1),
});
