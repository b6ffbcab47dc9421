import type { Kysely } from 'kysely';

/** Adds the log of administrative changes and of refused attempts. */
export async function addAuditLog(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_audit')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_user', 'text')
    .addColumn('address', 'text')
    .addColumn('forwarded_for', 'text')
    .addColumn('request_id', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('object', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('count', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('gateway_audit_by_time').on('gateway_audit').columns(['at', 'id']).execute();
}
