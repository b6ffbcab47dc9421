import type { Kysely } from 'kysely';

/** So that users see why a job waits, e.g. for a cluster that cannot be reached. */
export async function explainQueuedJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_jobs').addColumn('queued_reason', 'text').execute();
}
