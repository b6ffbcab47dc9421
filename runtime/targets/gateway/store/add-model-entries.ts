import { type Kysely, sql } from 'kysely';

/** Adds providers and aliases that are created at run time, in addition to those of the configuration file. */
export async function addModelEntries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_providers')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('secret_names', 'text', (column) => column.notNull())
    .addColumn('secrets', sql`bytea`)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('gateway_aliases')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
}
