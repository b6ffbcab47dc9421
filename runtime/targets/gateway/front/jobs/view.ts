import { rfc3339 } from '../../../../core/time/rfc3339.ts';
import type { Job } from '../../lab/jobs/job.ts';
import { timeOrNull } from '../http/time-view.ts';

/** Types of jobs, by their names in requests. */
export const JOB_TYPES = { inference: 'inference', annotate: 'annotate', evaluator: 'evaluation' } as const;

export const jobView = (job: Job) => ({
  id: job.id,
  name: job.name,
  description: job.description,
  type: job.spec.type === 'evaluation' ? 'evaluator' : job.spec.type,
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
  start_time: timeOrNull(job.startedAt),
  end_time: timeOrNull(job.endedAt),
});
