import { expect, test } from 'vitest';
import { checkCachePrices } from '#gateway/commands/doctor/check-cache-prices.ts';
import { priced } from '../../requests/completions/running-gateway.ts';

const providers = [
  { name: 'claude', type: 'anthropic', baseUrl: 'https://api.anthropic.com', local: false },
  { name: 'openai', type: 'openai', baseUrl: 'https://api.openai.com/v1', local: false },
] as const;
const stored = (model: string, cacheWrite?: bigint) => ({
  ...priced(model, 3, 15),
  cacheWrite,
  effectiveAt: 0,
});

test('Anthropic models without cache write prices are listed in a note, with stored prices taking precedence', () => {
  const pricing = [priced('claude:a', 3, 15), priced('claude:b', 3, 15), priced('claude:free', 0, 0)];
  const known = [stored('claude:a', 1n), stored('claude:c'), stored('openai:gpt'), stored('claude-2:x')];
  expect(checkCachePrices({ providers, pricing }, known)).toEqual([
    {
      state: 'note',
      what: 'cache prices',
      message:
        'claude:c, claude:b: cache writes are billed at the input price, but Anthropic charges 1.25 times as much, or 2 times as much for the 1-hour cache',
      wayOut:
        'Set the cache prices with `gateway pricing set … --cache-write <dollars> --cache-write-1h <dollars>`.',
    },
  ]);
});

test('no notes are printed without such models or without the database', () => {
  expect(checkCachePrices({ providers, pricing: [priced('claude:a', 3, 15)] }, undefined)).toEqual([]);
  expect(checkCachePrices({ providers, pricing: [] }, [stored('claude:a', 1n), stored('openai:b')])).toEqual(
    [],
  );
});
