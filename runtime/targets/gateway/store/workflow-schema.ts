import type { Nanos } from '../shared/money.ts';

/** The tables of datasets, experiments and the work on them; same rules as those of the accounts. */
export interface WorkflowSchema {
  gateway_datasets: DatasetRow;
  gateway_chunks: ChunkRow;
  gateway_experiments: ExperimentRow;
  gateway_workflows: WorkflowRow;
  gateway_jobs: JobRow;
  gateway_job_logs: JobLogRow;
  gateway_secrets: SecretRow;
  gateway_signing_keys: SigningKeyRow;
}

export interface DatasetRow {
  readonly id: string;
  readonly filename: string;
  readonly format: string;
  /** Bytes, as uploaded. */
  readonly size: number;
  readonly row_count: number;
  /** Names, as JSON. */
  readonly columns: string;
  /** 1 if no row lacks it. */
  readonly ground_truth: number;
  /** The workflow whose answers these are. */
  readonly run_id: string | null;
  readonly generated: number;
  readonly generated_by: string | null;
  /** 0 while it is being written: nobody sees it then. */
  readonly complete: number;
  /** The user it belongs to; null for the master key. */
  readonly owner: string | null;
  readonly created_at: number;
}

/** A run of rows of a dataset, of scores or of an artifact: whatever is too much for one value. */
interface ChunkRow {
  readonly set_id: string;
  readonly first_row: number;
  readonly row_count: number;
  readonly bytes: Uint8Array;
}

interface ExperimentRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly dataset_id: string;
  readonly max_samples: number;
  /** As JSON. */
  readonly task: string;
  readonly owner: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
}

interface WorkflowRow {
  readonly id: string;
  readonly experiment_id: string;
  readonly name: string;
  readonly description: string;
  /** As it was asked for, with defaults in place; JSON. */
  readonly spec: string;
  readonly status: string;
  readonly error: string | null;
  /** Its metrics by name, once there are any; JSON. */
  readonly metrics: string | null;
  /** The chunks of its compiled results. */
  readonly artifact_id: string | null;
  readonly owner: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
}

export interface JobRow {
  readonly id: string;
  readonly workflow_id: string | null;
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly status: string;
  /** What to do, as JSON. */
  readonly spec: string;
  readonly dataset_id: string;
  /** Where rows go. */
  readonly output_id: string | null;
  readonly total_rows: number;
  /** All rows before this one are done, and written. */
  readonly done_rows: number;
  readonly failed_rows: number;
  /** What the work needs to go on after `done_rows`; JSON. */
  readonly checkpoint: string | null;
  /** What it came to; JSON. */
  readonly result: string | null;
  readonly error: string | null;
  /** 1 when somebody wants it to stop. */
  readonly cancelled: number;
  /** The process that has it, and until when without a sign of life. */
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
  /** Counts how often it was claimed; what an earlier holder brings is refused. */
  readonly lease_epoch: number;
  readonly timeout_sec: number;
  /** Counted from when the work began. */
  readonly deadline_at: number | null;
  readonly compute: string;
  /** What the compute backend calls it. */
  readonly compute_ref: string | null;
  /** That ended before the job did, since the last batch was written. */
  readonly failed_workers: number;
  /** Why it waits, if it is not for a free slot. */
  readonly queued_reason: string | null;
  /** In a retry: failed rows from this one on are asked about again. Null once all of them were. */
  readonly retry_row: number | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_nano: Nanos;
  readonly owner: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

interface JobLogRow {
  readonly id: string;
  readonly job_id: string;
  readonly at: number;
  readonly level: string;
  readonly text: string;
}

interface SecretRow {
  /** Of whoever set it; empty for the master key. */
  readonly owner: string;
  readonly name: string;
  /** Encrypted. */
  readonly value: Uint8Array;
  readonly description: string;
  readonly created_at: number;
  readonly updated_at: number | null;
}

/** Made once, shared by all processes on the database. */
interface SigningKeyRow {
  readonly purpose: string;
  readonly bytes: Uint8Array;
}
