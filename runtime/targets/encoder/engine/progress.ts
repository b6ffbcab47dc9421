/** Where a transform is: memory that the thread that runs it shares with the one that watches it. */
export type Progress = Int32Array;

export const NO_ROW = -1;

export function createProgress(): Progress {
  const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  progress[0] = NO_ROW;
  return progress;
}

/** Says that the transform is at this row of a batch now, or at none. */
export function markRow(progress: Progress, row: number): void {
  Atomics.store(progress, 0, row);
  Atomics.add(progress, 1, 1);
}

/** The row that it is at, and a number that changes with every row. */
export const readProgress = (progress: Progress): { row: number; step: number } => ({
  row: Atomics.load(progress, 0),
  step: Atomics.load(progress, 1),
});
