import type { Kysely } from 'kysely';

/** So that a retried job asks again about its failed rows, and keeps the others. */
export async function addRetryRow(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_jobs').addColumn('retry_row', 'bigint').execute();
}
