import type { Kysely } from 'kysely';

/** Adds what a request in flight has used so far, for the usage row that is written if its process is killed. */
export async function addInterruptedUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_reservations').addColumn('interrupted', 'text').execute();
}
