import type { Kysely } from 'kysely';

/** Adds prices and counts of what is not billed by tokens, such as web searches and images. */
export async function addUnits(db: Kysely<unknown>): Promise<void> {
  for (const table of ['gateway_prices', 'gateway_usage'])
    await db.schema.alterTable(table).addColumn('units', 'text').execute();
}
