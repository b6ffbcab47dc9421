import type { Kysely } from 'kysely';

/** Adds the time at which a paused job continues. */
export async function addPauses(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_jobs').addColumn('resume_at', 'bigint').execute();
}
