import { parseJsonText } from '#core/json/json-text.ts';
import type { JobRow, JobStatus } from '../../store/workflow-schema.ts';
import type { WorkResult, WorkSpec } from '../work/work.ts';
import type { Job } from './job.ts';
import { ownerIn } from '../../store/space-columns.ts';

export const jobOf = (row: JobRow): Job => ({
  id: row.id,
  workflowId: row.workflow_id,
  name: row.name,
  description: row.description,
  status: row.status,
  spec: parseJsonText(row.spec) as WorkSpec,
  datasetId: row.dataset_id,
  outputId: row.output_id,
  totalRows: row.total_rows,
  doneRows: row.done_rows,
  failedRows: row.failed_rows,
  result: row.result === null ? null : (parseJsonText(row.result) as WorkResult),
  error: row.error,
  queuedReason: row.queued_reason,
  workers: row.workers,
  compute: row.compute,
  timeoutSec: row.timeout_sec,
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  cost: row.cost_nano,
  owner: ownerIn(row),
  teamId: row.team_id,
  keyId: row.key_id,
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

export const isOver = (status: JobStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'stopped';
