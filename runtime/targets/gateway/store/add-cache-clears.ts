import type { Kysely } from 'kysely';

/** Adds when the cache of answers was cleared, and whose requests have created its answers. */
export async function addCacheClears(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_answers').addColumn('api_key_id', 'text').execute();
  await db.schema
    .createIndex('gateway_answers_api_key_id')
    .on('gateway_answers')
    .columns(['api_key_id'])
    .execute();
  await db.schema
    .createTable('gateway_cache_clears')
    // Empty for the whole cache.
    .addColumn('api_key_id', 'text', (column) => column.primaryKey())
    .addColumn('cleared_at', 'bigint', (column) => column.notNull())
    .execute();
}
