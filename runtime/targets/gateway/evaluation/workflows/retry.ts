import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { deleteRows } from '../datasets/chunks.ts';
import type { Job } from '../jobs/job.ts';
import { deleteRanges } from '../jobs/ranges/delete-ranges.ts';
import { storableText } from '../../store/storable-text.ts';
import type { Schema } from '../../store/schema.ts';
import type { WorkflowDetails, WorkflowPlan } from './workflow.ts';
import { changeInference, changePace, type RetryChanges } from './retry-changes.ts';
import { type JobRetryParts, retryJob } from './retry-job.ts';

export interface RetryParts extends JobRetryParts {
  readonly now: number;
}

/** The job to retry: the failed one or, in a succeeded workflow, the one with failed rows. Throws a ConflictError without one. */
export function jobToRetry({ id, status, jobs }: WorkflowDetails): Job {
  if (status === 'created' || status === 'running') throw notRetryable(id, `is ${status}`);
  const job =
    status === 'failed'
      ? jobs.find((one) => one.status === 'failed' || one.status === 'stopped')
      : jobs.find(({ spec, failedRows }) => spec.type === 'inference' && failedRows > 0);
  if (job) return job;
  throw notRetryable(id, 'has succeeded, and every row has an answer');
}

/** Retries a workflow. Rows with an answer keep it; the model processes failed rows and the remaining ones. */
export async function retryWorkflow(
  trx: Kysely<Schema>,
  workflow: WorkflowDetails,
  changes: RetryChanges,
  { now, ...parts }: RetryParts,
): Promise<void> {
  const { id, status, jobs } = workflow;
  const job = jobToRetry(workflow);
  const plan = changedPlan(workflow.plan, changes);
  const { numUpdatedRows } = await trx
    .updateTable('gateway_workflows')
    .set({
      status: 'created',
      error: null,
      metrics: null,
      updated_at: now,
      key_id: parts.keyId,
      spec: storableText(JSON.stringify(plan)),
    })
    .where('id', '=', id)
    .where('status', '=', status)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notRetryable(id, 'is already being retried');
  const isInference = job.spec.type !== 'evaluation';
  const changed = {
    spec: isInference ? plan.inference : plan.evaluation,
    timeoutSec: plan.timeoutSec,
    outputName: plan.outputName,
    generatedBy: plan.model,
  };
  await retryJob(trx, job, changed, parts);
  if (!isInference) return;
  for (const { id: outdated, spec, outputId } of jobs) {
    if (spec.type !== 'evaluation') continue;
    await trx.deleteFrom('gateway_jobs').where('id', '=', outdated).execute();
    await deleteRanges(trx, [outdated]);
    await trx.deleteFrom('gateway_job_logs').where('job_id', '=', outdated).execute();
    if (outputId !== null) await deleteRows(trx, outputId);
  }
}

const changedPlan = (plan: WorkflowPlan, changes: RetryChanges): WorkflowPlan => ({
  ...plan,
  timeoutSec: changes.timeoutSec ?? plan.timeoutSec,
  inference: changeInference(plan.inference, changes),
  evaluation: changePace(plan.evaluation, changes),
});

const notRetryable = (id: string, why: string): AppError =>
  new AppError(
    'ConflictError',
    `Workflow ${id} ${why}. Only workflows that failed or have failed rows can be retried.`,
    { reason: 'workflow_not_failed' },
  );
