import type { Nanos } from '../shared/money.ts';
import type { OwnedRow } from './space-columns.ts';

/** Tables of datasets, experiments, workflows and jobs, with the conventions of `Schema`. */
export interface WorkflowSchema {
  gateway_datasets: DatasetRow;
  gateway_chunks: ChunkRow;
  gateway_uploads: UploadRow;
  gateway_experiments: ExperimentRow;
  gateway_workflows: WorkflowRow;
  gateway_jobs: JobRow;
  gateway_job_ranges: JobRangeRow;
  gateway_job_logs: JobLogRow;
  gateway_secrets: SecretRow;
  gateway_signing_keys: SigningKeyRow;
}

/** Columns of objects that users own, tag and search. */
interface Tagged extends OwnedRow {
  /** Tags as JSON. */
  readonly tags: string;
  /** Name and description in lower case, which a search compares with. */
  readonly search_text: string;
}

export interface DatasetRow extends Tagged {
  readonly id: string;
  readonly filename: string;
  readonly format: string;
  /** Size of the uploaded file in bytes. */
  readonly size: number;
  readonly row_count: number;
  /** Names of the columns as JSON. */
  readonly columns: string;
  /** 1 if every row has a ground truth. */
  readonly ground_truth: number;
  /** Id of the workflow whose answers these are. */
  readonly run_id: string | null;
  readonly generated: number;
  readonly generated_by: string | null;
  /** 0 while the dataset is being written; clients do not see it then. */
  readonly complete: number;
  /** From where it was imported. */
  readonly source: string | null;
  readonly created_at: number;
}

/** An upload that continues where it stopped. Its bytes are chunks, which count bytes instead of rows. */
export interface UploadRow extends OwnedRow {
  readonly id: string;
  readonly filename: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Number of bytes that are stored; the size only when the dataset exists. */
  readonly received: number;
  /** New names of columns as JSON. */
  readonly columns: string | null;
  readonly dataset_id: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Consecutive rows of a dataset, of scores or of an artifact, which are too large for one value. */
interface ChunkRow {
  readonly set_id: string;
  readonly first_row: number;
  readonly row_count: number;
  readonly bytes: Uint8Array;
}

interface ExperimentRow extends Tagged {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly dataset_id: string;
  readonly max_samples: number;
  /** Task definition as JSON. */
  readonly task: string;
  readonly created_at: number;
  readonly updated_at: number | null;
}

/** `running` is never stored: it is a created workflow with a job that has begun. */
export type WorkflowStatus = 'created' | 'running' | 'succeeded' | 'failed';
export type JobStatus = 'created' | 'pending' | 'running' | 'succeeded' | 'failed' | 'stopped';

interface WorkflowRow extends Tagged {
  readonly id: string;
  readonly experiment_id: string;
  readonly name: string;
  readonly description: string;
  /** Specification with all defaults, as JSON. */
  readonly spec: string;
  readonly status: WorkflowStatus;
  readonly error: string | null;
  /** Metrics by name as JSON; null before there are any. */
  readonly metrics: string | null;
  /** Id of the chunks with its compiled results. */
  readonly artifact_id: string | null;
  readonly team_id: string | null;
  /** The key that started the work; null for the master key, and for work of earlier versions. */
  readonly key_id: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
}

export interface JobRow extends OwnedRow {
  readonly id: string;
  readonly workflow_id: string | null;
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly status: JobStatus;
  /** Specification as JSON. */
  readonly spec: string;
  readonly dataset_id: string;
  /** Id of the dataset that rows are written to. */
  readonly output_id: string | null;
  readonly total_rows: number;
  /** Number of finished rows, which are all written. */
  readonly done_rows: number;
  readonly failed_rows: number;
  /** First row that is in no range yet. */
  readonly next_row: number;
  /** Result as JSON. */
  readonly result: string | null;
  readonly error: string | null;
  /** 1 if the job is cancelled. */
  readonly cancelled: number;
  /** Process that runs the job. Its lease expires at `lease_until` unless it is renewed. */
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
  /** Number of claims of the job. Writes of earlier holders are refused. */
  readonly lease_epoch: number;
  readonly timeout_sec: number;
  /** End of the time limit, counted from the last progress. */
  readonly deadline_at: number | null;
  readonly compute: string;
  /** The encoders that workers fetch, as JSON; null before the first worker needs them. */
  readonly files: string | null;
  /** Id of the job in the compute backend. */
  readonly compute_ref: string | null;
  /** Number of workers that ended before the job did, since the last batch was written. */
  readonly failed_workers: number;
  /** Why the job waits, unless it waits for a free slot. */
  readonly queued_reason: string | null;
  /** A paused job is not claimed before this time. */
  readonly resume_at: number | null;
  /** Number of workers that the job is divided among. */
  readonly workers: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_nano: Nanos;
  /** The team that is billed in addition to the owner. */
  readonly team_id: string | null;
  /** The key that started the work; null for the master key, and for work of earlier versions. */
  readonly key_id: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** Consecutive rows of a job, which one worker processes at a time. The last range of a job has no rows: its worker ends the job. */
export interface JobRangeRow {
  readonly job_id: string;
  readonly first_row: number;
  readonly row_count: number;
  /** The next row to process. All rows before it are written. */
  readonly next_row: number;
  readonly failed_rows: number;
  /** In a retry: failed rows from this index are repeated. Null once all of them were. */
  readonly retry_row: number | null;
  /** In a retry: number of failed rows that are not repeated yet. */
  readonly rows_to_retry: number;
  /** State that a worker needs to continue at `next_row`, as JSON. */
  readonly checkpoint: string | null;
  /** 1 if all rows are processed. */
  readonly ended: number;
  /** Worker that processes the range. Its lease expires at `lease_until` unless it is renewed. */
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
  /** Number of leases of the range. Writes of earlier holders are refused. */
  readonly lease_epoch: number;
  /** Number of workers that ended while they held the range, since its last batch was written. */
  readonly failed_workers: number;
}

interface JobLogRow {
  readonly id: string;
  readonly job_id: string;
  readonly at: number;
  readonly level: string;
  readonly text: string;
}

interface SecretRow {
  /** Who can use the secret; empty for the master key. */
  readonly space: string;
  readonly name: string;
  /** Encrypted value. */
  readonly value: Uint8Array;
  readonly description: string;
  readonly created_at: number;
  readonly updated_at: number | null;
}

/** A key that is created once and shared by all processes on the database. */
interface SigningKeyRow {
  readonly purpose: string;
  readonly bytes: Uint8Array;
}
