import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { deleteRows } from '../datasets/chunks.ts';
import type { JobQueue } from '../jobs/job.ts';
import { deleteRanges } from '../jobs/ranges/held-range.ts';
import type { Schema } from '../../store/schema.ts';

/** Maximum time to wait for jobs to stop. Workers notice a cancellation within seconds. */
const STOP_MS = 10_000;

/** Stops jobs and waits until they have ended. If a job does not stop in time, its later writes are rejected. */
export async function stopJobs(
  queue: Pick<JobQueue, 'cancel' | 'stopped'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await queue.cancel(id);
  await Promise.all(ids.map((id) => queue.stopped(id, STOP_MS)));
}

/** Deletes a workflow with its jobs, logs and datasets. */
export async function deleteWorkflow(trx: Kysely<Schema>, id: string): Promise<void> {
  // The workflow is deleted first, so that a job that ends in the meantime does not start another one.
  await trx.deleteFrom('gateway_workflows').where('id', '=', id).execute();
  // Jobs are deleted before their rows: this waits for transactions that are writing rows.
  const jobs = await trx
    .deleteFrom('gateway_jobs')
    .where('workflow_id', '=', id)
    .returning(['id', 'output_id'])
    .execute();
  await deleteRanges(
    trx,
    jobs.map((job) => job.id),
  );
  for (const job of jobs) {
    if (job.output_id !== null) await deleteRows(trx, job.output_id);
    await trx.deleteFrom('gateway_job_logs').where('job_id', '=', job.id).execute();
  }
  await trx.deleteFrom('gateway_datasets').where('run_id', '=', id).execute();
}

/** Throws a ConflictError if an experiment uses the workflow's outputs. */
export async function refuseDependents(
  db: Kysely<Schema>,
  id: string,
  verb: 'delete' | 'retry',
): Promise<void> {
  const user = await db
    .selectFrom('gateway_experiments as e')
    .innerJoin('gateway_datasets as d', 'd.id', 'e.dataset_id')
    .select('e.name')
    .where('d.run_id', '=', id)
    .executeTakeFirst();
  if (!user) return;
  throw new AppError(
    'ConflictError',
    `Cannot ${verb} workflow ${id}: experiment ${JSON.stringify(user.name)} uses its responses. Delete that experiment first${verb === 'delete' ? ', or use force=true' : ''}.`,
    { reason: 'workflow_in_use' },
  );
}
