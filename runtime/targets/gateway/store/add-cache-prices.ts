import type { Kysely } from 'kysely';

/** Adds prices of cache writes, tiers, and counts of cache writes. Existing prices and usage have none, so costs do not change. */
export async function addCachePrices(db: Kysely<unknown>): Promise<void> {
  const add = async (table: string, column: string, type: 'bigint' | 'text'): Promise<void> =>
    await db.schema.alterTable(table).addColumn(column, type).execute();
  await add('gateway_prices', 'cache_write_nano', 'bigint');
  await add('gateway_prices', 'cache_write_1h_nano', 'bigint');
  await add('gateway_prices', 'tiers', 'text');
  await add('gateway_usage', 'cache_write_tokens', 'bigint');
  await add('gateway_usage', 'cache_write_1h_tokens', 'bigint');
}
