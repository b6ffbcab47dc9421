export interface RowCounts {
  readonly rows: number;
  /** Could not be scored by all metrics. */
  readonly failed: number;
  /** Have no prediction, as asking for it failed, or no ground truth. */
  readonly skipped: number;
}

export const NO_ROWS: RowCounts = { rows: 0, failed: 0, skipped: 0 };

export const addRows = (one: RowCounts, other: RowCounts): RowCounts => ({
  rows: one.rows + other.rows,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});
