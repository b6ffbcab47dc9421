import type { RowCells } from '../../datasets/dataset.ts';
import type { BatchOutcome, WorkResult, WorkSpec } from '../../work/work.ts';
import type { Json } from '../../../providers/shapes/chat.ts';

/** Paths of the worker API. A worker's token identifies its job. */
export const WORKER_PATHS = {
  job: '/api/v1/worker/job',
  files: '/api/v1/worker/files',
  ranges: '/api/v1/worker/ranges',
  rows: '/api/v1/worker/rows',
  batches: '/api/v1/worker/batches',
  failedRows: '/api/v1/worker/failed-rows',
  logs: '/api/v1/worker/logs',
  alive: '/api/v1/worker/alive',
  end: '/api/v1/worker/end',
  pause: '/api/v1/worker/pause',
  answers: '/api/v1/worker/answers',
  findAnswers: '/api/v1/worker/answers/find',
  secrets: '/api/v1/worker/secrets',
} as const;

/** A job for a worker. */
export interface WorkerJob {
  readonly id: string;
  readonly spec: WorkSpec;
  readonly total_rows: number;
  readonly trusted: boolean;
  /** Whether language model responses are shared with other jobs. */
  readonly shares_answers: boolean;
  /** A worker that cannot reach the gateway for this long has lost its rows. */
  readonly lease_ms: number;
}

/** The lease on a range, which every write for it contains. */
export interface WorkerLease {
  readonly first_row: number;
  readonly epoch: number;
}

/** Consecutive rows for a worker, with the position to continue at. */
export interface WorkerRange extends WorkerLease {
  readonly row_count: number;
  readonly next_row: number;
  /** During a retry: the row from which failed rows are processed again, before any new rows. */
  readonly retry_row: number | null;
  readonly checkpoint: WorkerCheckpoint | null;
  /**
   * For the last range, which has no rows: the checkpoints of all ranges, from which the result is computed.
   * Otherwise null.
   */
  readonly checkpoints: readonly WorkerCheckpoint[] | null;
}

export interface WorkerLeased {
  /** Null if other workers hold all remaining rows. */
  readonly range: WorkerRange | null;
}

/**
 * The state that a worker needs to continue where another one stopped. It is a type alias, because
 * checkpoints are stored as arbitrary JSON objects, which an interface is not assignable to.
 */
export type WorkerCheckpoint = {
  readonly work: Json;
  /** Error of the range's first failed row. */
  readonly first_error: string | null;
};

export interface WorkerRows {
  readonly first_row: number;
  /** At least one row, unless none are left. */
  readonly rows: readonly RowCells[];
}

/** Failed rows to retry. */
export interface WorkerFailedRows {
  /** Row numbers (0-based), ascending. */
  readonly numbers: readonly number[];
  readonly rows: readonly RowCells[];
  /** Row to continue at; null if none are left. */
  readonly next: number | null;
}

/** New results for failed rows. */
export interface WorkerReplacement extends Omit<WorkerBatch, 'first_row'> {
  readonly from: number;
  readonly next: number | null;
  readonly numbers: readonly number[];
}

export interface WorkerBatch {
  readonly range: WorkerLease;
  readonly first_row: number;
  readonly rows: BatchOutcome['rows'];
  readonly failed: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly checkpoint: WorkerCheckpoint;
}

export interface WorkerWritten {
  /** The job's failed rows, excluding those waiting for a retry. */
  readonly failed_rows: number;
}

export interface WorkerLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface WorkerAlive {
  readonly cancelled: boolean;
}

/** Ends the worker but not its job, which is queued again. */
export interface WorkerPause {
  readonly reason: string;
  /** Time until the next attempt. */
  readonly seconds: number;
}

export type WorkerEnd =
  | { readonly status: 'succeeded'; readonly result: WorkResult }
  | { readonly status: 'failed'; readonly error: string };

/** A job's end, which is rejected if the worker has lost its rows. */
export type WorkerEnding = WorkerEnd & { readonly range: WorkerLease | null };
