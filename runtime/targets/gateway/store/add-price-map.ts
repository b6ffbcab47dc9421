import type { Kysely } from 'kysely';

/** Adds the map of published prices, and what each request was priced by. */
export async function addPriceMap(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_price_map')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('date', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('gateway_usage').addColumn('priced_by', 'text').execute();
}
