import type { Kysely } from 'kysely';

/** Stores which executables a job uses, so that all its workers use the same ones. */
export async function addJobFiles(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_jobs').addColumn('files', 'text').execute();
}
