import { expect, test } from 'vitest';
import { readBundledMap } from '#gateway/accounts/price-map/bundled-map.ts';
import type { PriceMapFile } from '#gateway/accounts/price-map/map-file.ts';
import { describeDatabases } from '../../databases.ts';

const mapOf = (date: string, input: number): PriceMapFile => ({
  format: 'encoderfile-prices-1',
  date,
  source: 'test',
  models: { openai: { 'gpt-4o': { input, output: 1 } } },
});

describeDatabases((database) => {
  test('all gateways that share a database use the price map stored in it, unless the bundled map is newer', async () => {
    const first = await database.start();
    const second = await database.open(first.url, { clock: first.clock });
    const price = async ({ priceMaps }: typeof second) => (await priceMaps.find('openai', 'gpt-4o'))?.price;
    const published = await price(second);
    expect(published).toMatchObject({ input: 2_500_000_000n, source: 'map 2026-11-26 openai:gpt-4o' });

    await first.priceMaps.store(mapOf('2999-01-01', 7));
    first.clock.advance(1000);
    for (const state of [first, second])
      expect(await price(state)).toMatchObject({
        input: 7_000_000_000n,
        source: 'map 2999-01-01 openai:gpt-4o',
      });
    // Another change in the same millisecond.
    await first.priceMaps.store(mapOf('2999-01-01', 8));
    first.clock.advance(1000);
    for (const state of [first, second]) expect(await price(state)).toMatchObject({ input: 8_000_000_000n });
    expect(await second.priceMaps.current()).toMatchObject({ date: '2999-01-01', source: 'test', size: 1 });

    await expect(second.priceMaps.store(mapOf('2020-01-01', 9))).rejects.toThrow(
      'The map has prices from 2020-01-01, but the built-in prices are newer (2026-11-26) and apply instead.',
    );
    // Simulates a map stored by an older version.
    await second.store.db
      .updateTable('gateway_price_map')
      .set({ updated_at: 1, content: JSON.stringify(mapOf('2020-01-01', 9)) })
      .execute();
    await second.budgets.create({});
    first.clock.advance(1000);
    for (const state of [first, second]) expect(await price(state)).toEqual(published);
    await second.priceMaps.store(mapOf('2999-01-01', 9));
    await second.priceMaps.reset();
    first.clock.advance(1000);
    for (const state of [first, second]) expect(await price(state)).toEqual(published);
    expect((await first.priceMaps.current()).date).toBe(readBundledMap().date);
  });
});
