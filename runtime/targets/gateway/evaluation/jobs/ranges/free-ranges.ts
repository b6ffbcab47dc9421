import type { Kysely } from 'kysely';
import type { Schema } from '../../../store/schema.ts';
import { NO_LEASE } from '../lease.ts';

/** Ends the leases of all ranges of a job, or of those that one worker holds. */
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
