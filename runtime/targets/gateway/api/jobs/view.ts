import type { Static } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Job } from '../../evaluation/jobs/job.ts';
import { rfc3339OrNull } from '../http/values.ts';
import type { rayJob } from './schemas.ts';

/** Types of jobs, by their names in requests. */
export const JOB_TYPES = { inference: 'inference', annotate: 'annotate', evaluator: 'evaluation' } as const;

const typeName = ({ spec }: Job) => (spec.type === 'evaluation' ? 'evaluator' : spec.type);

/** The status of a job in the format of Ray's API, which has no status for a job that waits in a queue. */
export const rayJobView = ({ id, status, error }: Job): Static<typeof rayJob> => ({
  submission_id: id,
  type: 'SUBMISSION',
  status: RAY_STATUSES[status],
  message: error,
});

const RAY_STATUSES = {
  created: 'PENDING',
  pending: 'PENDING',
  running: 'RUNNING',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  stopped: 'STOPPED',
} as const;

export const jobView = (job: Job) => ({
  id: job.id,
  job_id: job.id,
  name: job.name,
  description: job.description,
  type: typeName(job),
  job_type: typeName(job),
  status: job.status,
  dataset: job.datasetId,
  workflow_id: job.workflowId,
  total_rows: job.totalRows,
  done_rows: job.doneRows,
  failed_rows: job.failedRows,
  prompt_tokens: job.promptTokens,
  completion_tokens: job.completionTokens,
  error: job.error,
  queued_reason: job.queuedReason,
  workers: job.workers,
  created_at: rfc3339(job.createdAt),
  start_time: rfc3339OrNull(job.startedAt),
  end_time: rfc3339OrNull(job.endedAt),
});
