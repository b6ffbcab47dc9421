import { type Kysely, sql } from 'kysely';

/** Adds what was masked in requests whose answers providers store: their users get it back with the answer. */
export async function addObjectMasks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_object_masks')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    // PostgreSQL's type for bytes. SQLite accepts any type name and stores bytes unchanged.
    .addColumn('sealed', sql`bytea`, (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_object_masks_key', ['kind', 'id'])
    .execute();
}
