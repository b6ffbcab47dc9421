import { expect, test } from 'vitest';
import { useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();

const map = (date: string, price: number) => ({
  format: 'encoderfile-prices-1',
  date,
  source: 'a contract',
  models: { openai: { 'gpt-5': { input: price, output: 8 }, extra: { per_image: 0.5 } } },
});

test('published prices can be searched, matched, replaced as a whole and reset', async () => {
  const { ask } = await open();
  const { body: before } = await ask('GET', '/v1/price-map?search=OPENAI:gpt-5&limit=2');
  expect(before).toMatchObject({ date: '2026-11-26', source: 'litellm 1.110.2 (PyPI)' });
  expect(before.models).toBeGreaterThan(2000);
  expect(before.prices).toHaveLength(2);
  expect(before.prices[0]).toMatchObject({ model: 'openai:gpt-5', input: 1.25, output: 10 });
  const matched = await ask('GET', '/v1/price-map/openai:GPT-5-2031-01-31');
  expect(matched.body).toMatchObject({ priced_by: 'map 2026-11-26 openai:gpt-5', price: { input: 1.25 } });

  const stored = await ask('PUT', '/v1/price-map', map('2999-01-31', 1));
  expect([stored.status, stored.body]).toEqual([
    200,
    { date: '2999-01-31', source: 'a contract', models: 2, added: 1, changed: 1, removed: before.models - 1 },
  ]);
  expect((await ask('GET', '/v1/price-map/openai:extra')).body.price).toEqual({
    model: 'openai:extra',
    per_image: 0.5,
  });
  expect((await ask('PUT', '/v1/price-map', map('2999-02-01', -1))).status).toBe(422);
  const old = await ask('PUT', '/v1/price-map', map('2020-01-01', 1));
  expect([old.status, old.body.detail]).toEqual([422, expect.stringContaining('are newer (2026-11-26)')]);
  expect((await ask('GET', '/v1/price-map/openai:gpt-5')).body.price.input).toBe(1);
  expect((await ask('DELETE', '/v1/price-map')).status).toBe(204);
  expect((await ask('GET', '/v1/price-map/openai:gpt-5')).body.price.input).toBe(1.25);
  expect((await ask('GET', '/v1/price-map/lab:gpt-5')).status).toBe(404);
});

test('accepts a LiteLLM price map', async () => {
  const { ask, clock } = await open();
  clock.advance(366 * 86_400_000);
  const entry = {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 2e-6,
    output_cost_per_token: 3e-6,
  };
  const { body } = await ask('PUT', '/v1/price-map?source=litellm%209', { 'gpt-9': entry });
  expect(body).toMatchObject({ date: '2027-03-02', source: 'litellm 9', models: 1 });
  expect((await ask('GET', '/v1/price-map/openai:gpt-9')).body.price).toMatchObject({ input: 2, output: 3 });
});
