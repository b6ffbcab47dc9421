import type { Kysely } from 'kysely';
import type { Schema } from '../../../store/schema.ts';

export async function deleteRanges(db: Kysely<Schema>, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length > 0) await db.deleteFrom('gateway_job_ranges').where('job_id', 'in', jobIds).execute();
}
