import type { Kysely } from 'kysely';

/** Stores from where a dataset was imported. */
export async function addDatasetSource(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_datasets').addColumn('source', 'text').execute();
}
