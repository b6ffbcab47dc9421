import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';

const PAGE = { skip: 0, limit: 100 };
const PRICE = { input: 2_500_000_000n, cachedInput: null, output: 10_000_000_000n };

describeDatabases((database) => {
  test('past and future prices of a model are stored, and the price effective at a given time can be looked up', async () => {
    const { prices, clock } = await database.start();
    const start = clock.wholeNow();
    expect(await prices.set({ modelKey: 'openai:a', ...PRICE })).toEqual({
      modelKey: 'openai:a',
      effectiveAt: start,
      ...PRICE,
      cacheWrite: null,
      cacheWrite1h: null,
      tiers: [],
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
    expect((await prices.at('openai:a', clock.wholeNow()))?.input).toBe(8n);
    await prices.delete('openai:a');
    expect(await prices.at('openai:a', clock.wholeNow())).toBeUndefined();
    for (const key of ['openai:a', '\0']) {
      await expect(prices.get(key)).rejects.toMatchObject({
        code: 'NotFoundError',
        message: `Pricing for model '${key}' not found`,
      });
    }
    await expect(prices.delete('openai:a')).rejects.toMatchObject({ reason: 'pricing_not_found' });
  });

  test('cache write prices and tiers are stored exactly and with a history, and the lowest tier comes first', async () => {
    const { prices, clock, url } = await database.start();
    const most = 9_000_000_000_000_000_001n;
    const tier = { input: most, output: 2n, cachedInput: 3n, cacheWrite: 4n, cacheWrite1h: null };
    const price = { ...PRICE, cachedInput: 0n, cacheWrite: most };
    const tiers = [
      { aboveTokens: 200_000, ...tier },
      { aboveTokens: 100, ...tier, cacheWrite1h: 5n },
    ];
    const modelKey = 'anthropic:a';
    await prices.set({ modelKey, ...price, tiers });
    const kept = {
      modelKey,
      effectiveAt: clock.wholeNow(),
      ...price,
      cacheWrite1h: null,
      tiers: tiers.toReversed(),
    };
    expect(await prices.get(modelKey)).toEqual(kept);
    expect(await (await database.open(url, { clock })).prices.at(modelKey, clock.wholeNow())).toEqual(kept);
    clock.advance(1);
    await prices.set({ modelKey, ...PRICE });
    expect((await prices.history(modelKey)).map((one) => one.tiers?.length)).toEqual([0, 2]);
    expect(await prices.at(modelKey, clock.wholeNow() - 1)).toEqual(kept);
  });

  test('the configuration adds prices only for models without a price, even if several processes add them concurrently', async () => {
    const { prices, url, clock } = await database.start();
    const other = await database.open(url, { clock });
    await prices.set({ modelKey: 'openai:a', ...PRICE, input: 1n });
    const configured = ['openai:a', 'openai:b'].map((modelKey) => ({ modelKey, ...PRICE }));
    await Promise.all([prices.seed(configured), other.prices.seed(configured)]);
    expect((await prices.list(PAGE)).map(({ input }) => input)).toEqual([1n, PRICE.input]);
    expect(await prices.history('openai:b')).toHaveLength(1);
  });

  test('invalid prices are rejected', async () => {
    const { prices } = await database.start();
    await expect(prices.set({ modelKey: '', ...PRICE })).rejects.toMatchObject({ code: 'InputError' });
    await expect(prices.set({ modelKey: 'a:b', ...PRICE, output: -1n })).rejects.toMatchObject({
      code: 'InputError',
    });
    const price = { modelKey: 'a:b', ...PRICE, cachedInput: 1n };
    const tier = { ...price, aboveTokens: 100 };
    for (const [tiers, message] of [
      [[{ ...tier, cacheWrite: -1n }], 'a:b has a negative price; prices must be 0 or more.'],
      [
        [{ ...tier, aboveTokens: 0 }],
        /^Invalid price of a:b: tiers\[0\]\.above_prompt_tokens is 0; it must be/,
      ],
      [[tier, tier], /Two tiers start above 100 tokens; remove one of them\.$/],
      [
        [{ ...tier, cachedInput: null }],
        /The tier above 100 tokens has no cached_input_price_per_million, which is required because the price itself has one/,
      ],
      [Array.from({ length: 17 }, () => tier), /The price has 17 tiers; the maximum is 16\.$/],
    ] as const) {
      const expected = { code: 'InputError', message: expect.stringMatching(message) as string };
      await expect(prices.set({ ...price, tiers })).rejects.toMatchObject(expected);
    }
  });
});
