import { expect } from 'vitest';
import { builtExecutable } from '../../helpers/built.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const [openai, anthropic] = [await startFixture('openai'), await startFixture('anthropic')];
const config = {
  providers: providersFor({ openai, anthropic }),
  encoders: { words: { path: builtExecutable('embedder') } },
  aliases: {
    cheap: { strategy: 'cheapest', targets: ['openai:good', 'anthropic:good'] },
    fast: { strategy: 'fastest', targets: ['openai:talks', 'anthropic:talks'] },
    idle: { strategy: 'least_busy', targets: ['openai:good', { model: 'anthropic:good', weight: 0 }] },
  },
  pricing: {
    'openai:good': { input_price_per_million: 10, output_price_per_million: 30 },
    'anthropic:good': { input_price_per_million: 1, output_price_per_million: 3 },
  },
  cache: {
    store: 'database',
    models: ['openai:*'],
    semantic: { encoder: 'words', threshold: 0.8, timeout: '60s' },
  },
};

verifiesGateway('gateway:cache', async (arm) => {
  const api = await start(arm, { config });
  const key = asKey(await createKey(api, { user_id: 'cache' }));
  for (const stream of [false, true]) {
    const ask = async (headers = {}) =>
      await api.post('/v1/chat/completions', chatWith('openai:good', { stream, n: 1 }), {
        ...key,
        ...headers,
      });
    const { requests } = await openai.counts();
    const [paid, free, renewed] = [await ask(), await ask(), await ask({ 'cache-control': 'no-cache' })];
    expect([paid, free, renewed].map(({ headers }) => headers.get('x-cache'))).toEqual([
      'miss',
      'hit',
      'bypass',
    ]);
    expect([free.text, free.headers.get('age') !== null]).toEqual([paid.text, true]);
    expect((await openai.counts())['requests']).toBe((requests ?? 0) + 2);
  }
  const other = asKey(await createKey(api, { user_id: 'cache' }));
  const { headers } = await api.post('/v1/chat/completions', chatWith('openai:good', { n: 1 }), other);
  expect(headers.get('x-cache')).toBe('miss');
  const { body } = await api.get('/v1/usage?user_id=cache&group_by=cache_hit', AS_MASTER);
  expect(body.groups).toMatchObject([
    { group: { cache_hit: null }, requests: 5 },
    { group: { cache_hit: 'exact' }, requests: 2, cost: 0 },
  ]);
});

verifiesGateway('gateway:cache:semantic', async (arm) => {
  const api = await start(arm, { config });
  const key = asKey(await createKey(api, { user_id: 'similar' }));
  const ask = async (content: string) => {
    const messages = [{ role: 'user', content }];
    const { headers, status } = await api.post(
      '/v1/chat/completions',
      { model: 'openai:good', messages },
      key,
    );
    return [status, headers.get('x-cache'), Number(headers.get('x-cache-similarity')) > 0.8];
  };
  expect(await ask('What is the capital of France in 2024')).toEqual([200, 'miss', false]);
  expect(await ask('What is the capital of France in 2024?')).toEqual([200, 'hit', true]);
  expect(await ask('What is the capital of France in 2025?')).toEqual([200, 'miss', false]);
  const { body } = await api.get('/v1/users/similar/usage', AS_MASTER);
  expect((body as { cache_hit: unknown }[]).map((row) => row.cache_hit)).toEqual([null, 'semantic', null]);
});

verifiesGateway('gateway:strategies', async (arm) => {
  const api = await start(arm, { config });
  const key = asKey(await createKey(api, { user_id: 'strategies' }));
  const models = async (alias: string): Promise<unknown[]> => {
    for (let time = 0; time < 4; time += 1)
      expect((await api.post('/v1/chat/completions', chatWith(alias), key)).status).toBe(200);
    const { body } = await api.get('/v1/users/strategies/usage?limit=4', AS_MASTER);
    return (body as { model: unknown }[]).map(({ model }) => model);
  };
  expect(new Set(await models('cheap'))).toEqual(new Set(['anthropic:good']));
  expect(new Set(await models('idle'))).toEqual(new Set(['openai:good']));
  // Each target is tried once before they are compared.
  expect(new Set(await models('fast'))).toEqual(new Set(['openai:talks', 'anthropic:talks']));
});
