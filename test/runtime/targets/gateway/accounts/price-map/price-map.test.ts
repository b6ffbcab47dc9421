import { expect, test } from 'vitest';
import { readBundledMap } from '#gateway/accounts/price-map/bundled-map.ts';
import { createPriceMap } from '#gateway/accounts/price-map/price-map.ts';
import { readPriceMap } from '#gateway/accounts/price-map/read-map.ts';
import { costOf, isFree } from '#gateway/shared/price.ts';
import { tierProblem } from '#gateway/accounts/ledger/price-tiers.ts';

const bundled = createPriceMap(readBundledMap());

test('the bundled map covers the large providers, all its price tiers are valid, and only moderation models are free', () => {
  const file = readBundledMap();
  expect(readPriceMap(JSON.stringify(file), 'bundled', '2026-01-01')).toEqual(file);
  const providers = 'openai anthropic gemini mistral groq deepseek xai cohere together bedrock vertex azure';
  for (const provider of providers.split(' '))
    expect(Object.keys(file.models[provider] ?? {}).length, provider).toBeGreaterThan(5);
  const all = bundled.search('');
  expect(all.length).toBeGreaterThan(2000);
  const problems = all.map(({ price }) => price && tierProblem(price));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  // Only moderation is free: a model that seems free would bypass every budget.
  const free = all.filter(({ price }) => price && isFree(price)).map(({ name }) => name);
  expect(free.every((name) => name.includes('moderation'))).toBe(true);
});

const SPELLINGS: readonly (readonly [
  provider: string,
  model: string,
  name: string | undefined,
  why: string,
])[] = [
  ['openai', 'gpt-4o', 'gpt-4o', 'its own name'],
  ['openai', 'GPT-4o', 'gpt-4o', 'another case'],
  ['openai', 'openai/gpt-4o', 'gpt-4o', 'the prefix of its provider'],
  ['openai', 'gpt-4o-2024-08-06', 'gpt-4o-2024-08-06', 'a snapshot with its own entry'],
  ['openai', 'gpt-4o-2024-05-13', 'gpt-4o-2024-05-13', 'a snapshot with a different price than its family'],
  ['openai', 'gpt-4o-2031-01-31', 'gpt-4o', 'an unlisted snapshot'],
  ['openai', 'gpt-4o-latest', 'gpt-4o', '-latest'],
  ['openai', 'ft:gpt-4o-2024-08-06:acme:support:9x', 'ft:gpt-4o-2024-08-06', 'a fine-tuned model'],
  ['anthropic', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5-20250929', 'a date without dashes'],
  ['gemini', 'models/gemini-2.5-pro', 'gemini-2.5-pro', 'a resource name'],
  ['vertex', 'claude-haiku-4-5@20311231', 'claude-haiku-4-5', 'a version after @'],
  ['vertex', 'publishers/google/models/gemini-2.5-pro', 'gemini-2.5-pro', 'the name with its publisher'],
  ['azure', 'GPT-4o-2024-08-06', 'gpt-4o-2024-08-06', 'a deployed model'],
  ['bedrock', 'xx.anthropic.claude-sonnet-4-5-20250929-v1:0', undefined, 'an unknown region'],
  ['openai', 'my-gpt-4o', undefined, 'a name that only contains a listed one'],
  ['openai', 'gpt-4o-mini-tts-2', undefined, 'a longer name'],
  ['nobody', 'gpt-4o', undefined, 'another provider'],
];

test.each(SPELLINGS)('%s:%s has the price of %s: %s', (provider, model, name, _why) => {
  const found = bundled.find(provider, model);
  expect(found?.name).toBe(name === undefined ? undefined : `${provider}:${name}`);
});

const map = (models: object) => ({
  format: 'encoderfile-prices-1',
  date: '2026-01-31',
  source: 'test',
  models,
});

test("a model family has the price of its newest snapshot or -latest model, and regional names and aliases have their target's price", () => {
  const one = { input: 1, output: 2 };
  const own = createPriceMap(
    readPriceMap(
      JSON.stringify(
        map({
          mistral: {
            'large-2402': { ...one, input: 9 },
            'large-2407': one,
            'small-latest': one,
            tiny: 'small-latest',
          },
          bedrock: { 'anthropic.claude-x-20250101-v1:0': one },
        }),
      ),
      'test',
      '',
    ),
  );
  const named = (provider: string, model: string) => own.find(provider, model)?.name;
  expect(named('mistral', 'large')).toBe('mistral:large-2407');
  expect(named('mistral', 'Large-2512')).toBe('mistral:large-2407');
  expect(named('mistral', 'small-2501')).toBe('mistral:small-latest');
  expect(own.find('mistral', 'tiny')?.price?.source).toBe('map 2026-01-31 mistral:tiny');
  expect(named('bedrock', 'eu.anthropic.claude-x-20250101-v1:0')).toBe(
    'bedrock:anthropic.claude-x-20250101-v1:0',
  );
  expect(
    named('bedrock', 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x-20250101-v1:0'),
  ).toBe('bedrock:anthropic.claude-x-20250101-v1:0');
});

test('cache reads, cache writes and long prompts are charged at the published prices', () => {
  const sonnet = bundled.find('anthropic', 'claude-sonnet-4-5')?.price;
  // 1000 read, 500 written for 5 minutes, 500 for 1 hour, 1000 plain: 0.3, 3.75, 6, 3 and 15 dollars per million.
  const counts = { input: 3000, cachedInput: 1000, cacheWrite: 1000, cacheWrite1h: 500, output: 100 };
  expect(sonnet && costOf(counts, sonnet)).toBe(300_000n + 1_875_000n + 3_000_000n + 3_000_000n + 1_500_000n);
  const gemini = bundled.find('gemini', 'gemini-2.5-pro')?.price;
  const long = { input: 200_001, cachedInput: 1, output: 10 };
  expect(gemini && costOf(long, gemini)).toBe(200_000n * 2500n + 250n + 10n * 15_000n);
  expect(gemini && costOf({ ...long, input: 200_000 }, gemini)).toBe(199_999n * 1250n + 125n + 10n * 10_000n);
});

test('the tiers and aliases of a LiteLLM map are converted, and zero prices and unsupported providers are skipped', () => {
  const entry = {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 2e-6,
    output_cost_per_token: 8e-6,
  };
  const { models, date } = readPriceMap(
    JSON.stringify({
      sample_spec: { litellm_provider: 'one of …' },
      a: {
        ...entry,
        input_cost_per_token_above_200k_tokens: 4e-6,
        output_cost_per_token_above_200k_tokens: 9e-6,
      },
      unknown: { ...entry, input_cost_per_token: 0, output_cost_per_token: 0 },
      'openai/b-latest': { alias_of: 'a' },
      'dashscope/q': {
        litellm_provider: 'dashscope',
        tiered_pricing: [
          { range: [1000, 2000], input_cost_per_token: 2e-7, output_cost_per_token: 3e-7 },
          { range: [0, 1000], input_cost_per_token: 1e-7, output_cost_per_token: 2e-7 },
        ],
      },
      'else/c': { ...entry, litellm_provider: 'else' },
    }),
    'map.json',
    '2026-02-01',
  );
  expect(date).toBe('2026-02-01');
  expect(models).toEqual({
    openai: {
      a: { input: 2, output: 8, tiers: [{ above: 200_000, input: 4, output: 9 }] },
      'b-latest': 'a',
    },
    dashscope: { q: { input: 0.1, output: 0.2, tiers: [{ above: 1000, input: 0.2, output: 0.3 }] } },
  });
});

test.each([
  ['{', /^map\.json is not a price map: unexpected end of input\.$/],
  ['[]', /^map\.json is not a price map: /],
  ['{}', /format/],
  [JSON.stringify(map({})), /models/],
  [JSON.stringify(map({ openai: { a: { input: -1 } } })), /input/],
  [JSON.stringify(map({ openai: { a: { input: 1, price: 2 } } })), /price/],
  [JSON.stringify({ ...map({ openai: { a: 'b' } }), date: 'today' }), /date/],
  [JSON.stringify({ x: { litellm_provider: 'openai', input_cost_per_token: 5 } }), /input/],
])('rejects %s with a one-sentence error', (text, message) => {
  expect(() => readPriceMap(text, 'map.json', '2026-01-01')).toThrow(message);
});
