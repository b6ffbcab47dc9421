import { expect, test } from 'vitest';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();
const shared = useGateway();

const PRICE = { input_price_per_million: 0.25, output_price_per_million: 2 };
const NO_CACHE = {
  cached_input_price_per_million: null,
  cache_write_price_per_million: null,
  cache_write_1h_price_per_million: null,
  tiers: [],
};

test('a price can be set, read, replaced and deleted', async () => {
  const { ask, clock } = await open();
  const { status, body } = await ask('POST', '/v1/pricing', { model_key: 'openai:small', ...PRICE });
  expect([status, body]).toEqual([
    200,
    {
      model_key: 'openai:small',
      ...PRICE,
      ...NO_CACHE,
      effective_at: '2026-03-01T12:00:00Z',
    },
  ]);
  clock.advance(1000);
  const next = { model_key: 'openai:small', ...PRICE, ...NO_CACHE, cached_input_price_per_million: 0.025 };
  const { body: newer } = await ask('POST', '/v1/pricing', next);
  expect(newer).toEqual({ ...next, effective_at: '2026-03-01T12:00:01Z' });
  expect((await ask('GET', '/v1/pricing/openai:small')).body).toEqual(newer);
  expect((await ask('GET', '/v1/pricing')).body).toEqual([newer]);
  expect((await ask('GET', '/v1/pricing/openai:small/history')).body).toEqual([newer, body]);
  const gone = await ask('DELETE', '/v1/pricing/openai:small');
  expect([gone.status, gone.text]).toEqual([204, '']);
  expect((await ask('GET', '/v1/pricing')).body).toEqual([]);
});

test('only the configured unit prices are returned, unchanged', async () => {
  const { ask } = await open();
  const units = { web_search_price: 0.01, image_price: 0.04, image_output_price_per_million: 40 };
  const price = { model_key: 'openai:painter', ...PRICE, ...units };
  const { status, body } = await ask('POST', '/v1/pricing', { ...price, query_price: null });
  expect([status, body]).toEqual([200, { ...price, ...NO_CACHE, effective_at: '2026-03-01T12:00:00Z' }]);
  expect((await ask('GET', '/v1/pricing/openai:painter')).body).toEqual(body);
  expect((await ask('POST', '/v1/pricing', { ...price, image_price: -1 })).status).toBe(422);
});

test('cache write prices and tiers are returned unchanged', async () => {
  const { ask } = await open();
  const cache = {
    cached_input_price_per_million: 0.3,
    cache_write_price_per_million: 3.75,
    cache_write_1h_price_per_million: 6,
  };
  const long = {
    above_prompt_tokens: 200_000,
    input_price_per_million: 6,
    output_price_per_million: 22.5,
    ...cache,
  };
  const price = { model_key: 'anthropic:claude', ...PRICE, ...cache, tiers: [long] };
  expect(await ask('POST', '/v1/pricing', price)).toMatchObject({ status: 200, body: price });
  const { body } = await ask('GET', '/v1/pricing/anthropic:claude');
  expect(body).toEqual({ ...price, effective_at: '2026-03-01T12:00:00Z' });
  // A listed price can be sent back unchanged.
  expect((await ask('POST', '/v1/pricing', body)).body).toEqual(body);
  expect((await ask('POST', '/v1/pricing', { ...body, tiers: null })).body.tiers).toEqual([]);
});

test('a future price appears only in the history until it takes effect', async () => {
  const { ask, clock } = await open();
  const model_key = 'openai:small';
  await ask('POST', '/v1/pricing', { model_key, ...PRICE, effective_at: '2026-03-02' });
  expect((await ask('GET', `/v1/pricing/${model_key}`)).status).toBe(404);
  expect((await ask('GET', '/v1/pricing')).body).toEqual([]);
  expect((await ask('GET', `/v1/pricing/${model_key}/history`)).body).toMatchObject([
    { effective_at: '2026-03-02T00:00:00Z' },
  ]);
  clock.advance(12 * 3_600_000);
  expect((await ask('GET', `/v1/pricing/${model_key}`)).status).toBe(200);
});

test.each([
  'openai:gpt-5-mini',
  'together:meta-llama/Llama-3.3-70B-Instruct',
  'ollama:qwen3:8b',
  'a:b/c:d/e',
  'a:history',
  'a:b/history',
  'a:b c%20d?e#f',
  'a:größe 🙂',
])('the model path can be %s', async (model) => {
  const { ask } = shared();
  await ask('POST', '/v1/pricing', { model_key: model, ...PRICE });
  const path = `/v1/pricing/${encodeURIComponent(model)}`;
  expect((await ask('GET', path)).body.model_key).toBe(model);
  expect((await ask('GET', `${path}/history`)).body).toHaveLength(1);
  expect((await ask('DELETE', path)).status).toBe(204);
  expect(await ask('GET', path)).toMatchObject({
    status: 404,
    body: { detail: `Pricing for model '${model}' not found`, error: { code: 'pricing_not_found' } },
  });
});

test.each(['together:meta-llama/Llama-3.3-70B-Instruct', 'a:b/c:d/e', 'a:history'])(
  'colons and slashes need no escaping: %s',
  async (model) => {
    const { ask } = shared();
    await ask('POST', '/v1/pricing', { model_key: model, ...PRICE });
    expect((await ask('GET', `/v1/pricing/${model}`)).body.model_key).toBe(model);
    expect((await ask('GET', `/v1/pricing/${model}/history`)).body).toHaveLength(1);
    expect((await ask('DELETE', `/v1/pricing/${model}`)).status).toBe(204);
  },
);

test('equivalent spellings of a model name share one price', async () => {
  const { ask } = await open();
  expect((await ask('POST', '/v1/pricing', { model_key: 'OpenAI/gpt-5', ...PRICE })).body.model_key).toBe(
    'openai:gpt-5',
  );
  expect((await ask('POST', '/v1/pricing', { model_key: ' OPENAI : gpt-5', ...PRICE })).status).toBe(200);
  expect((await ask('GET', '/v1/pricing')).body).toHaveLength(1);
  expect((await ask('GET', '/v1/pricing/openai/gpt-5')).body.model_key).toBe('openai:gpt-5');
});

test.each([
  [{}, 'model_key is missing; input_price_per_million is missing; output_price_per_million is missing'],
  [{ model_key: 'small', ...PRICE }, 'Invalid model_key "small". Use the format `provider:model`.'],
  [{ model_key: 'openai:', ...PRICE }, 'Invalid model_key "openai:". Use the format `provider:model`.'],
  [
    { model_key: 'a:b', ...PRICE, input_price_per_million: -1 },
    'input_price_per_million must be at least 0, not -1',
  ],
  [
    { model_key: 'a:b', ...PRICE, output_price_per_million: null },
    'output_price_per_million must be a number, not null',
  ],
  [
    { model_key: 'a:b', ...PRICE, effective_at: 'now' },
    'effective_at must be a time such as 2030-01-31T12:00:00Z or a Unix timestamp, not "now"',
  ],
  [
    { model_key: 'a:b', ...PRICE, tiers: [{ ...PRICE, above_prompt_tokens: 0 }] },
    'tiers/0/above_prompt_tokens must be at least 1, not 0',
  ],
  [
    {
      model_key: 'a:b',
      ...PRICE,
      cached_input_price_per_million: 1,
      tiers: [{ ...PRICE, above_prompt_tokens: 9 }],
    },
    'Invalid price of a:b: The tier above 9 tokens has no cached_input_price_per_million, which is required because the price itself has one.',
  ],
  [
    { model: 'a:b', ...PRICE },
    'model_key is missing; unknown key "model" (known keys: model_key, input_price_per_million, output_price_per_million, cached_input_price_per_million, cache_write_price_per_million, cache_write_1h_price_per_million, web_search_price, searched_request_price, image_price, query_price, image_input_price_per_million, image_output_price_per_million, tiers, effective_at)',
  ],
])('an invalid price is rejected: %j', async (sent, detail) => {
  const { status, body } = await shared().ask('POST', '/v1/pricing', sent);
  expect([status, body.detail]).toEqual([422, detail]);
});

test('a key can read prices but not set them', async () => {
  const { ask, request } = await open();
  const { body: key } = await ask('POST', '/v1/keys', {});
  const headers = { Authorization: `Bearer ${key.key}` };
  await ask('POST', '/v1/pricing', { model_key: 'a:b', ...PRICE });
  for (const path of ['/v1/pricing', '/v1/pricing/a:b', '/v1/pricing/a:b/history']) {
    expect((await request(path, { headers })).status).toBe(200);
    expect((await request(path)).status).toBe(401);
  }
  for (const [method, path] of [
    ['POST', '/v1/pricing'],
    ['DELETE', '/v1/pricing/a:b'],
  ] as const) {
    const { status, body } = await request(path, { method, headers });
    expect([status, body.detail]).toEqual([401, 'Invalid master key']);
  }
});
