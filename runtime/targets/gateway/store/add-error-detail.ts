import type { Kysely } from 'kysely';

/** So that accounts show why a provider failed. */
export async function addErrorDetail(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_usage').addColumn('error_detail', 'text').execute();
}
