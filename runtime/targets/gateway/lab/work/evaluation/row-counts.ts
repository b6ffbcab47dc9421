export interface RowCounts {
  readonly rows: number;
  /** Could not be scored by all metrics. */
  readonly failed: number;
  /** Are not scored: they have no ground truth, or no prediction and failures are skipped. */
  readonly skipped: number;
  /** Have no prediction, because the model failed. Missing in checkpoints of earlier versions. */
  readonly unanswered?: number;
}

export const NO_ROWS: RowCounts = { rows: 0, failed: 0, skipped: 0, unanswered: 0 };

export const addRows = (one: RowCounts, other: RowCounts): RowCounts => ({
  rows: one.rows + other.rows,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
  unanswered: (one.unanswered ?? 0) + (other.unanswered ?? 0),
});
