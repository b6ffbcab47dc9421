import type { Kysely } from 'kysely';

/** Prices of cache writes and tiers, and the tokens of cache writes. Prices and rows from before have none, and cost the same. */
export async function addCachePrices(db: Kysely<unknown>): Promise<void> {
  const add = async (table: string, column: string, type: 'bigint' | 'text'): Promise<void> =>
    await db.schema.alterTable(table).addColumn(column, type).execute();
  await add('gateway_prices', 'cache_write_nano', 'bigint');
  await add('gateway_prices', 'cache_write_1h_nano', 'bigint');
  await add('gateway_prices', 'tiers', 'text');
  await add('gateway_usage', 'cache_write_tokens', 'bigint');
  await add('gateway_usage', 'cache_write_1h_tokens', 'bigint');
}
