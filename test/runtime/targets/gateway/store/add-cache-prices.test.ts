import { type Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { addCachePrices } from '#gateway/store/add-cache-prices.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { MIGRATIONS } from '#gateway/store/migrations.ts';
import { openDatabase } from '#gateway/store/open-store.ts';
import { describeDatabases } from '../databases.ts';

describeDatabases((database) => {
  test('prices and usage from before keep their amounts and have no cache prices', async () => {
    const store = openDatabase(parseDatabaseUrl(await database.create()));
    onTestFinished(() => store.close());
    const { db } = store;
    const untyped = db as unknown as Kysely<unknown>;
    for (const step of MIGRATIONS.slice(0, MIGRATIONS.indexOf(addCachePrices))) await step(untyped);
    await sql`insert into gateway_prices (model_key, effective_at, input_nano, cached_input_nano, output_nano, created_at)
      values ('a:b', 1000, 3000000000, 300000000, 15000000000, 1000)`.execute(db);
    await sql`insert into gateway_usage (id, timestamp, model, endpoint, cached_tokens, cost_nano, status, estimated, attempt)
      values ('1', 1000, 'a:b', '/v1/messages', 5, 7, 'success', 0, 1)`.execute(db);
    await addCachePrices(untyped);
    expect(await db.selectFrom('gateway_prices').selectAll().execute()).toEqual([
      {
        model_key: 'a:b',
        effective_at: 1000,
        input_nano: 3_000_000_000n,
        cached_input_nano: 300_000_000n,
        output_nano: 15_000_000_000n,
        created_at: 1000,
        cache_write_nano: null,
        cache_write_1h_nano: null,
        tiers: null,
      },
    ]);
    expect(await db.selectFrom('gateway_usage').selectAll().execute()).toMatchObject([
      { cached_tokens: 5, cost_nano: 7n, cache_write_tokens: null, cache_write_1h_tokens: null },
    ]);
  });
});
