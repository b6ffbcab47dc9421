import { expect, test } from 'vitest';
import type { Provider } from '#gateway/providers/adapters/provider.ts';
import { startFixture } from '../fixture-provider.ts';
import { providerOf } from '../test-provider.ts';
import type { OpenGateway } from './open-gateway.ts';
import { useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();

const [fixture, encoder] = [await startFixture('openai'), await startFixture('encoder')];

/** A gateway with a provider that lists its models, one with configured models, and one that is down. */
const start = (): Promise<OpenGateway> =>
  open({
    providers: [
      providerOf('openai', fixture),
      providerOf('openai', fixture, { name: 'local', models: ['qwen/qwen3:8b', 'other'] }),
      providerOf('openai', { ...fixture, url: 'http://127.0.0.1:1' }, { name: 'down' }),
    ],
    aliases: [{ name: 'fast', targets: [{ model: 'local:other' }] }],
  });

const idsOf = async ({ request }: OpenGateway, key: string): Promise<string[]> => {
  const { status, body } = await request('/v1/models', { headers: { Authorization: `Bearer ${key}` } });
  expect([status, body.object]).toEqual([200, 'list']);
  return body.data.map(({ id }: { id: string }) => id);
};
const keyFor = async ({ ask }: OpenGateway, allowed: string[] | null): Promise<string> =>
  (await ask('POST', '/v1/keys', { allowed_models: allowed })).body.key;
const setPrice = async ({ ask }: OpenGateway, model: string): Promise<void> => {
  const prices = { input_price_per_million: 1, output_price_per_million: 1 };
  expect((await ask('POST', '/v1/pricing', { model_key: model, ...prices })).status).toBe(200);
};

test('lists aliases, models from providers, and callable models with a price', async () => {
  const gateway = await start();
  await setPrice(gateway, 'down:priced');
  await setPrice(gateway, 'local:other');
  await setPrice(gateway, 'nobody:knows');
  const { body } = await gateway.ask('GET', '/v1/models');
  const ids = body.data.map(({ id }: { id: string }) => id);
  expect(ids).toEqual(expect.arrayContaining(['fast', 'local:qwen/qwen3:8b', 'local:other', 'down:priced']));
  expect(ids.filter((id: string) => id.startsWith('openai:')).length).toBeGreaterThan(0);
  expect(ids).not.toContain('nobody:knows');
  expect(new Set(ids).size).toBe(ids.length);
  expect(body.data.find(({ id }: { id: string }) => id === 'fast')).toEqual({
    id: 'fast',
    object: 'model',
    created: 0,
    owned_by: 'gateway',
  });
  expect(body.data.at(-1)).toEqual({
    id: 'down:priced',
    object: 'model',
    created: Date.parse('2026-03-01T12:00:00Z') / 1000,
    owned_by: 'down',
  });
  expect(gateway.held()).toBe(0);
});

test('a key sees only its allowed models', async () => {
  const gateway = await start();
  expect(await idsOf(gateway, await keyFor(gateway, ['local:*']))).toEqual([
    'local:qwen/qwen3:8b',
    'local:other',
  ]);
  expect(await idsOf(gateway, await keyFor(gateway, ['fast']))).toEqual(['fast']);
  expect(await idsOf(gateway, await keyFor(gateway, []))).toEqual([]);
  expect((await idsOf(gateway, await keyFor(gateway, null))).length).toBeGreaterThan(3);
});

test('returns a model whose name contains special characters', async () => {
  const gateway = await start();
  const { ask, request } = gateway;
  for (const path of ['local:qwen/qwen3:8b', 'local%3Aqwen%2Fqwen3%3A8b', 'fast']) {
    const { status, body } = await ask('GET', `/v1/models/${path}`);
    expect([status, body.id, body.object]).toEqual([200, decodeURIComponent(path), 'model']);
  }
  expect(await ask('GET', '/v1/models/nobody:knows')).toMatchObject({
    status: 404,
    body: { detail: "Model 'nobody:knows' not found", error: { code: 'model_not_found' } },
  });
  const headers = { 'x-api-key': await keyFor(gateway, ['fast']) };
  expect((await request('/v1/models/fast', { headers })).status).toBe(200);
  expect((await request('/v1/models/local:other', { headers })).status).toBe(404);
});

test('provider model lists are requested once a minute, across all clients', async () => {
  const gateway = await start();
  const requests = async (): Promise<number> => (await fixture.counts())['requests'] ?? 0;
  const before = await requests();
  await Promise.all(Array.from({ length: 20 }, () => gateway.ask('GET', '/v1/models')));
  expect((await requests()) - before).toBeLessThanOrEqual(1);
  const asked = await requests();
  gateway.clock.advance(59_999);
  await gateway.ask('GET', '/v1/models');
  expect(await requests()).toBe(asked);
});

test('models require a credential', async () => {
  const { request } = await start();
  expect((await request('/v1/models')).status).toBe(401);
  expect((await request('/v1/models/fast')).status).toBe(401);
});

test('an encoder is listed for the task of its model, or for both classification and feature extraction while it is unreachable', async () => {
  const at = (name: string): Provider =>
    providerOf('encoder', { ...encoder, url: `${encoder.url}/${name}` }, { name });
  const { ask } = await open({ providers: ['other', 'vectors', 'tagger', 'down'].map(at) });
  const listed = async (task: string): Promise<string[]> => {
    const { body } = await ask('GET', `/api/v1/models/?tasks=${task}`);
    return body.items.map(({ display_name }: { display_name: string }) => display_name);
  };
  expect(await listed('text-classification')).toEqual(['encoder:other', 'encoder:down']);
  expect(await listed('feature-extraction')).toEqual(['encoder:vectors', 'encoder:down']);
  expect(await listed('token-classification')).toEqual([]);
  expect(await listed('Feature-Extraction,%20translation,')).toEqual(['encoder:vectors', 'encoder:down']);
  expect((await ask('GET', '/api/v1/models/')).body.total).toBe(4);
});
