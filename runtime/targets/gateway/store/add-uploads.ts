import type { Kysely } from 'kysely';

/** Adds uploads of datasets that continue where they stopped. Their bytes are in the table of chunks. */
export async function addUploads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_uploads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('filename', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('received', 'bigint', (column) => column.notNull())
    .addColumn('columns', 'text')
    .addColumn('dataset_id', 'text')
    .addColumn('owner', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
}
