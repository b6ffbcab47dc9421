import type { Row } from '../../datasets/dataset.ts';
import type { BatchOutcome, WorkResult, WorkSpec } from '../../work/work.ts';
import type { Json } from '../../../ask/shapes/chat.ts';

/** Where a worker asks; what it may ask for is said by its token alone. */
export const WORKER_PATHS = {
  job: '/api/v1/worker/job',
  rows: '/api/v1/worker/rows',
  batches: '/api/v1/worker/batches',
  failedRows: '/api/v1/worker/failed-rows',
  logs: '/api/v1/worker/logs',
  alive: '/api/v1/worker/alive',
  end: '/api/v1/worker/end',
  secrets: '/api/v1/worker/secrets',
} as const;

/** What there is to do, and where to go on. */
export interface WorkerJob {
  readonly id: string;
  readonly spec: WorkSpec;
  readonly total_rows: number;
  readonly done_rows: number;
  readonly failed_rows: number;
  /** In a retry: failed rows from this one on are asked about again, before new ones. */
  readonly retry_row: number | null;
  readonly checkpoint: WorkerCheckpoint | null;
  readonly trusted: boolean;
  /** A worker that reaches no gateway for that long has lost its job. */
  readonly lease_ms: number;
}

/** What a worker has to know to go on where another one stopped. */
export interface WorkerCheckpoint {
  readonly work: Json;
  /** Why the first of all rows that failed did. */
  readonly first_error: string | null;
}

export interface WorkerRows {
  readonly first_row: number;
  /** At least one, unless there are no more. */
  readonly rows: readonly Row[];
}

/** Rows that a model failed for. */
export interface WorkerFailedRows {
  /** Numbers of the rows, from 0, ascending. */
  readonly numbers: readonly number[];
  readonly rows: readonly Row[];
  /** Where to look for more; null if there are no more. */
  readonly next: number | null;
}

/** Answers in place of errors. */
export interface WorkerReplacement extends Omit<WorkerBatch, 'first_row'> {
  readonly from: number;
  readonly next: number | null;
  readonly numbers: readonly number[];
}

export interface WorkerBatch {
  readonly first_row: number;
  readonly rows: BatchOutcome['rows'];
  readonly failed: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly checkpoint: WorkerCheckpoint;
}

export interface WorkerLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface WorkerAlive {
  readonly cancelled: boolean;
}

export type WorkerEnd =
  | { readonly status: 'succeeded'; readonly result: WorkResult }
  | { readonly status: 'failed'; readonly error: string };
