import type { Kysely } from 'kysely';
import { AppError } from '../../../../contract/errors.ts';
import { deleteRows } from '../datasets/chunks.ts';
import type { JobQueue } from '../jobs/job.ts';
import type { Schema } from '../../store/schema.ts';

/** Whoever works on a job notices within seconds that it is to stop. */
const PATIENCE_MS = 10_000;

/** Stops jobs and waits for it. One that does not stop in time finds nothing to write to any more. */
export async function stopJobs(
  queue: Pick<JobQueue, 'cancel' | 'stopped'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await queue.cancel(id);
  await Promise.all(ids.map((id) => queue.stopped(id, PATIENCE_MS)));
}

/** With all that it made. */
export async function deleteWorkflow(trx: Kysely<Schema>, id: string): Promise<void> {
  // First of all, so that a job of it that ends meanwhile begins no other.
  await trx.deleteFrom('gateway_workflows').where('id', '=', id).execute();
  // Before what they wrote: whoever is writing is waited for.
  const jobs = await trx
    .deleteFrom('gateway_jobs')
    .where('workflow_id', '=', id)
    .returning(['id', 'output_id'])
    .execute();
  for (const job of jobs) {
    if (job.output_id !== null) await deleteRows(trx, job.output_id);
    await trx.deleteFrom('gateway_job_logs').where('job_id', '=', job.id).execute();
  }
  await trx.deleteFrom('gateway_datasets').where('run_id', '=', id).execute();
}

/** Throws a ConflictError if an experiment uses what the workflow answered. */
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
    `Cannot ${verb} workflow ${id}: the experiment ${JSON.stringify(user.name)} uses its answers. Delete that one first${verb === 'delete' ? ', or use force=true' : ''}.`,
    { reason: 'workflow_in_use' },
  );
}
