import type { Kysely } from 'kysely';

/** Adds tags with budgets, the tags of requests, and reservations against further accounts. */
export async function addTags(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_tags')
    .addColumn('tag', 'text', (column) => column.primaryKey())
    .addColumn('budget_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('gateway_usage').addColumn('tags', 'text').execute();
  await db.schema.alterTable('gateway_reservations').addColumn('other_accounts', 'text').execute();
}
