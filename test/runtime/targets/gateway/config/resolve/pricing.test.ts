import { expect, test } from 'vitest';
import { read } from '../read.ts';

test('cache write prices and tiers are read exactly', async () => {
  const { models } = await read(`
pricing:
  anthropic/long:
    input_price_per_million: 3
    output_price_per_million: 15
    cache_write_price_per_million: "3.750000001"
    cache_write_1h_price_per_million: 6
    tiers:
      - above_prompt_tokens: 200000
        input_price_per_million: 6
        output_price_per_million: 22.5
        cache_write_price_per_million: 7.5
        cache_write_1h_price_per_million: 12
`);
  expect(models.pricing).toEqual([
    {
      modelKey: 'anthropic:long',
      input: 3_000_000_000n,
      output: 15_000_000_000n,
      cachedInput: null,
      cacheWrite: 3_750_000_001n,
      cacheWrite1h: 6_000_000_000n,
      tiers: [
        {
          aboveTokens: 200_000,
          input: 6_000_000_000n,
          output: 22_500_000_000n,
          cachedInput: null,
          cacheWrite: 7_500_000_000n,
          cacheWrite1h: 12_000_000_000n,
        },
      ],
      effectiveAt: undefined,
    },
  ]);
});
