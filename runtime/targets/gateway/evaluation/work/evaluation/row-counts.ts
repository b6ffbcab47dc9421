export interface RowCounts {
  readonly rows: number;
  /** Rows that a metric could not score. */
  readonly failed: number;
  /** Rows that are not scored: without a ground truth, or without a prediction if failures are skipped. */
  readonly skipped: number;
  /** Rows without a prediction, because the model failed. Missing in checkpoints of earlier versions. */
  readonly unanswered?: number;
  /** Verdicts of judges from the cache of the experiment. Missing in checkpoints of earlier versions. */
  readonly cachedVerdicts?: number;
}

export const NO_ROWS: RowCounts = { rows: 0, failed: 0, skipped: 0, unanswered: 0, cachedVerdicts: 0 };

export const addRows = (one: RowCounts, other: RowCounts): RowCounts => ({
  rows: one.rows + other.rows,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
  unanswered: (one.unanswered ?? 0) + (other.unanswered ?? 0),
  cachedVerdicts: (one.cachedVerdicts ?? 0) + (other.cachedVerdicts ?? 0),
});
