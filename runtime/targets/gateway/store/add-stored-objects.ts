import type { Kysely } from 'kysely';

/** Adds files, batches and responses that providers store, with the users that they belong to. */
export async function addStoredObjects(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_objects')
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('model', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('plan', 'text')
    .addColumn('hold_id', 'text')
    .addColumn('checked_at', 'bigint')
    .addPrimaryKeyConstraint('gateway_objects_key', ['kind', 'id'])
    .execute();
  await db.schema
    .createIndex('gateway_objects_user')
    .on('gateway_objects')
    .columns(['user_id', 'kind', 'created_at'])
    .execute();
  await db.schema.createIndex('gateway_objects_hold').on('gateway_objects').column('hold_id').execute();
}
