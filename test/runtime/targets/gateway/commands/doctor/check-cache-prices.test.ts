import { expect, test } from 'vitest';
import { checkCachePrices } from '../../../../../../runtime/targets/gateway/commands/doctor/check-cache-prices.ts';
import { priced } from '../../ask/completions/running-gateway.ts';

const providers = [
  { name: 'claude', type: 'anthropic', baseUrl: 'https://api.anthropic.com', local: false },
  { name: 'openai', type: 'openai', baseUrl: 'https://api.openai.com/v1', local: false },
] as const;
const stored = (model: string, cacheWrite?: bigint) => ({
  ...priced(model, 3, 15),
  cacheWrite,
  effectiveAt: 0,
});

test('prices of models of Anthropic without cache writes are noted, the stored ones before those of the file', () => {
  const pricing = [priced('claude:a', 3, 15), priced('claude:b', 3, 15), priced('claude:free', 0, 0)];
  const known = [stored('claude:a', 1n), stored('claude:c'), stored('openai:gpt'), stored('claude-2:x')];
  expect(checkCachePrices({ providers, pricing }, known)).toEqual([
    {
      state: 'note',
      what: 'cache prices',
      message:
        'cache writes of claude:c, claude:b are billed as other input, and Anthropic charges 1.25 times as much, for 1 hour twice',
      wayOut: '`gateway pricing set` has --cache-write and --cache-write-1h.',
    },
  ]);
});

test('nothing is noted without such models or without the database', () => {
  expect(checkCachePrices({ providers, pricing: [priced('claude:a', 3, 15)] }, undefined)).toEqual([]);
  expect(checkCachePrices({ providers, pricing: [] }, [stored('claude:a', 1n), stored('openai:b')])).toEqual(
    [],
  );
});
