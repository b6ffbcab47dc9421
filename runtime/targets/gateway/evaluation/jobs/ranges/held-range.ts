import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Schema } from '../../../store/schema.ts';
import type { JobRangeRow } from '../../../store/workflow-schema.ts';
import type { RangeLease } from '../job.ts';
import { NO_LEASE } from '../lease.ts';

/** The range behind a lease. Throws a ConflictError if the range was taken over. */
export async function heldRange(trx: Kysely<Schema>, jobId: string, lease: RangeLease): Promise<JobRangeRow> {
  const row = await trx
    .selectFrom('gateway_job_ranges')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('first_row', '=', lease.firstRow)
    .where('lease_owner', '=', lease.worker)
    .where('lease_epoch', '=', lease.epoch)
    .executeTakeFirst();
  if (row) return row;
  throw rangeLost(jobId, lease);
}

export const rangeLost = (id: string, { firstRow }: RangeLease): AppError =>
  new AppError(
    'ConflictError',
    `The rows of job ${id} starting at row ${firstRow} were assigned to another worker.`,
    {
      reason: 'range_lost',
    },
  );

/** Ends the leases on all of a job's ranges, or on those that one worker holds. */
export const freeRanges = (db: Kysely<Schema>, jobId: string, worker?: string) => {
  const held = db
    .updateTable('gateway_job_ranges')
    .set(NO_LEASE)
    .where('job_id', '=', jobId)
    .where('ended', '=', 0);
  return worker === undefined
    ? held.where('lease_owner', 'is not', null)
    : held.where('lease_owner', '=', worker);
};

export async function deleteRanges(db: Kysely<Schema>, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length > 0) await db.deleteFrom('gateway_job_ranges').where('job_id', 'in', jobIds).execute();
}
