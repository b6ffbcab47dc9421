import { expect, test } from 'vitest';
import { describeDatabases } from '../databases.ts';

const PAGE = { skip: 0, limit: 100 };
const PRICE = { input: 2_500_000_000n, cachedInput: null, output: 10_000_000_000n };

describeDatabases((database) => {
  test('prices have a history, and requests are priced by the one of their time', async () => {
    const { prices, clock } = await database.start();
    const start = clock.now();
    expect(await prices.set({ modelKey: 'openai:a', ...PRICE })).toEqual({
      modelKey: 'openai:a',
      effectiveAt: start,
      ...PRICE,
    });
    await prices.set({ modelKey: 'openai:a', ...PRICE, input: 7n, effectiveAt: start + 60_000 });
    await prices.set({ modelKey: 'openai:b', ...PRICE, cachedInput: 1n });
    expect((await prices.at('openai:a', start))?.input).toBe(PRICE.input);
    expect((await prices.at('openai:a', start + 60_000))?.input).toBe(7n);
    expect(await prices.at('openai:a', start - 1)).toBeUndefined();
    expect(await prices.at('openai:none', start)).toBeUndefined();
    expect((await prices.list(PAGE)).map(({ modelKey, input }) => [modelKey, input])).toEqual([
      ['openai:a', PRICE.input],
      ['openai:b', PRICE.input],
    ]);
    clock.advance(60_000);
    expect((await prices.get('openai:a')).input).toBe(7n);
    expect((await prices.history('openai:a')).map(({ input }) => input)).toEqual([7n, PRICE.input]);
    await prices.set({ modelKey: 'openai:a', ...PRICE, input: 8n });
    expect((await prices.at('openai:a', clock.now()))?.input).toBe(8n);
    await prices.delete('openai:a');
    expect(await prices.at('openai:a', clock.now())).toBeUndefined();
    for (const key of ['openai:a', '\0']) {
      await expect(prices.get(key)).rejects.toMatchObject({
        code: 'NotFoundError',
        message: `Pricing for model '${key}' not found`,
      });
    }
    await expect(prices.delete('openai:a')).rejects.toMatchObject({ reason: 'pricing_not_found' });
  });

  test('a configuration adds prices of models that have none, however many processes start with it', async () => {
    const { prices, url, clock } = await database.start();
    const other = await database.open(url, { clock });
    await prices.set({ modelKey: 'openai:a', ...PRICE, input: 1n });
    const configured = ['openai:a', 'openai:b'].map((modelKey) => ({ modelKey, ...PRICE }));
    await Promise.all([prices.seed(configured), other.prices.seed(configured)]);
    expect((await prices.list(PAGE)).map(({ input }) => input)).toEqual([1n, PRICE.input]);
    expect(await prices.history('openai:b')).toHaveLength(1);
  });

  test('prices that are none are refused', async () => {
    const { prices } = await database.start();
    await expect(prices.set({ modelKey: '', ...PRICE })).rejects.toMatchObject({ code: 'InputError' });
    await expect(prices.set({ modelKey: 'a:b', ...PRICE, output: -1n })).rejects.toMatchObject({
      code: 'InputError',
    });
  });
});
