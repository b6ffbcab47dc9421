import { OWNED } from './space-columns.ts';
import {
  bigint,
  bytes,
  initially,
  integer,
  nanos,
  nullable,
  table,
  textColumn,
  textOf,
  type RowOf,
} from './define-table.ts';

/** `running` is never stored: it is a created workflow with a job that has started. */
export type WorkflowStatus = 'created' | 'running' | 'succeeded' | 'failed';
export type JobStatus = 'created' | 'pending' | 'running' | 'succeeded' | 'failed' | 'stopped';

/** Columns of objects that users own, tag and search. */
const TAGGED = {
  ...OWNED,
  /** Tags as JSON. */
  tags: initially(textColumn, '[]'),
  /** Name and description in lower case, for searches. */
  search_text: initially(textColumn, ''),
};

/** Tables for datasets, experiments, workflows and jobs. */
export const WORKFLOW_TABLES = {
  gateway_datasets: table(
    {
      id: textColumn,
      filename: textColumn,
      format: textColumn,
      /** Size of the uploaded file in bytes. */
      size: bigint,
      row_count: bigint,
      /** Column names as JSON. */
      columns: textColumn,
      /** 1 if every row has a ground truth. */
      ground_truth: integer,
      /** ID of the workflow whose outputs it contains. */
      run_id: nullable(textColumn),
      generated: integer,
      generated_by: nullable(textColumn),
      /** 0 while the dataset is being written; until then, clients do not see it. */
      complete: integer,
      /** Where it was imported from. */
      source: nullable(textColumn),
      created_at: bigint,
      ...TAGGED,
    },
    {
      indexes: {
        gateway_datasets_by_run_id: { columns: ['run_id'] },
        gateway_datasets_space: { columns: ['space', 'created_at'] },
      },
    },
  ),
  /** Consecutive rows of a dataset, score table or artifact, which is too large for a single value. */
  gateway_chunks: table(
    {
      set_id: textColumn,
      first_row: bigint,
      row_count: bigint,
      bytes: bytes,
    },
    { key: ['set_id', 'first_row'] },
  ),
  /** A resumable upload. Its bytes are stored as chunks, which count bytes instead of rows. */
  gateway_uploads: table(
    {
      id: textColumn,
      filename: textColumn,
      /** Size of the file in bytes. */
      size: bigint,
      /** Number of stored bytes; equals the size only when the dataset exists. */
      received: bigint,
      /** New column names as JSON. */
      columns: nullable(textColumn),
      dataset_id: nullable(textColumn),
      created_at: bigint,
      expires_at: bigint,
      ...OWNED,
    },
    { indexes: { gateway_uploads_space: { columns: ['space', 'created_at'] } } },
  ),
  gateway_experiments: table(
    {
      id: textColumn,
      name: textColumn,
      description: textColumn,
      dataset_id: textColumn,
      max_samples: bigint,
      /** Task definition as JSON. */
      task: textColumn,
      created_at: bigint,
      updated_at: nullable(bigint),
      ...TAGGED,
    },
    { indexes: { gateway_experiments_space: { columns: ['space', 'created_at'] } } },
  ),
  gateway_workflows: table(
    {
      id: textColumn,
      experiment_id: textColumn,
      name: textColumn,
      description: textColumn,
      /** Specification with all defaults, as JSON. */
      spec: textColumn,
      status: textOf<WorkflowStatus>(),
      error: nullable(textColumn),
      /** Metrics by name as JSON; null before there are any. */
      metrics: nullable(textColumn),
      /** ID of the chunks with its compiled results. */
      artifact_id: nullable(textColumn),
      team_id: nullable(textColumn),
      /** The key that started the work; null for the master key, and for work from earlier versions. */
      key_id: nullable(textColumn),
      created_at: bigint,
      updated_at: nullable(bigint),
      ...TAGGED,
    },
    {
      indexes: {
        gateway_workflows_by_experiment_id: { columns: ['experiment_id'] },
        gateway_workflows_space: { columns: ['space', 'created_at'] },
      },
    },
  ),
  gateway_jobs: table(
    {
      id: textColumn,
      workflow_id: nullable(textColumn),
      type: textColumn,
      name: textColumn,
      description: textColumn,
      status: textOf<JobStatus>(),
      /** Specification as JSON. */
      spec: textColumn,
      dataset_id: textColumn,
      /** ID of the dataset that rows are written to. */
      output_id: nullable(textColumn),
      total_rows: bigint,
      /** Number of finished rows, all of which are written. */
      done_rows: bigint,
      failed_rows: bigint,
      /** First row that is not in a range yet. */
      next_row: initially(bigint, 0),
      /** Result as JSON. */
      result: nullable(textColumn),
      error: nullable(textColumn),
      /** 1 if the job is canceled. */
      cancelled: integer,
      /** Process that runs the job. Its lease expires at `lease_until` unless renewed. */
      lease_owner: nullable(textColumn),
      lease_until: nullable(bigint),
      /** Number of times the job was claimed. Writes by earlier holders are rejected. */
      lease_epoch: bigint,
      timeout_sec: bigint,
      /** End of the time limit, counted from the last progress. */
      deadline_at: nullable(bigint),
      compute: textColumn,
      /** The encoders that workers download, as JSON; null before the first worker needs them. */
      files: nullable(textColumn),
      /** The job's ID in the compute backend. */
      compute_ref: nullable(textColumn),
      /** Number of workers that ended before the job did, since the last batch was written. */
      failed_workers: initially(bigint, 0),
      /** Why the job is waiting, other than for a free slot. */
      queued_reason: nullable(textColumn),
      /** A paused job is not claimed before this time. */
      resume_at: nullable(bigint),
      /** Number of workers that share the job. */
      workers: initially(bigint, 0),
      prompt_tokens: bigint,
      completion_tokens: bigint,
      cost_nano: nanos,
      /** The team that is billed in addition to the owner. */
      team_id: nullable(textColumn),
      /** The key that started the work; null for the master key, and for work from earlier versions. */
      key_id: nullable(textColumn),
      created_at: bigint,
      started_at: nullable(bigint),
      ended_at: nullable(bigint),
      ...OWNED,
    },
    {
      indexes: {
        gateway_jobs_by_status: { columns: ['status', 'created_at'] },
        gateway_jobs_by_workflow_id: { columns: ['workflow_id'] },
        gateway_jobs_space: { columns: ['space', 'created_at'] },
      },
    },
  ),
  /**
   * A job's consecutive rows, processed by one worker at a time. A job's last range has no rows: its worker
   * ends the job.
   */
  gateway_job_ranges: table(
    {
      job_id: textColumn,
      first_row: bigint,
      row_count: bigint,
      /** The next row to process. All earlier rows are written. */
      next_row: bigint,
      failed_rows: bigint,
      /** During a retry: failed rows from this one on are repeated. Null once all were. */
      retry_row: nullable(bigint),
      /** During a retry: number of failed rows not repeated yet. */
      rows_to_retry: bigint,
      /** State that a worker needs to continue at `next_row`, as JSON. */
      checkpoint: nullable(textColumn),
      /** 1 if all rows are processed. */
      ended: integer,
      /** Worker that processes the range. Its lease expires at `lease_until` unless renewed. */
      lease_owner: nullable(textColumn),
      lease_until: nullable(bigint),
      /** How often the range was leased. Writes by earlier holders are rejected. */
      lease_epoch: bigint,
      /** Number of workers that ended while holding the range, since its last batch was written. */
      failed_workers: bigint,
    },
    { key: ['job_id', 'first_row'] },
  ),
  gateway_job_logs: table(
    {
      id: textColumn,
      job_id: textColumn,
      at: bigint,
      level: textColumn,
      text: textColumn,
    },
    { indexes: { gateway_job_logs_by_job_id: { columns: ['job_id', 'id'] } } },
  ),
  gateway_secrets: table(
    {
      /** Who can use the secret; empty for the master key. */
      space: textColumn,
      name: textColumn,
      /** Encrypted value. */
      value: bytes,
      description: textColumn,
      created_at: bigint,
      updated_at: nullable(bigint),
    },
    { key: ['space', 'name'] },
  ),
  /** A key that is created once and shared by all processes that use the database. */
  gateway_signing_keys: table({
    purpose: textColumn,
    bytes: bytes,
  }),
};

export type DatasetRow = RowOf<typeof WORKFLOW_TABLES.gateway_datasets>;
export type UploadRow = RowOf<typeof WORKFLOW_TABLES.gateway_uploads>;
export type JobRow = RowOf<typeof WORKFLOW_TABLES.gateway_jobs>;
export type JobRangeRow = RowOf<typeof WORKFLOW_TABLES.gateway_job_ranges>;
