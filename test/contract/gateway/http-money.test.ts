import { expect, vi } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { useReceivers, WEBHOOK_SECRET } from '../../runtime/targets/gateway/alerts/receiver.ts';
import type { Answer, Api } from '../shared-services.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const openai = await startFixture('openai');
const start = shareGateways();
const receiver = useReceivers();
const MODELS = {
  providers: providersFor({ openai }),
  pricing: { 'openai:good': { input_price_per_million: 1000, output_price_per_million: 2000 } },
};
/** 21 input tokens, 9 output tokens. */
const COST = 0.039;

const send = (api: Api, method: string, path: string, body: object): Promise<Answer> =>
  api.ask(path, {
    method,
    headers: { ...AS_MASTER, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function createBudget(api: Api, amount: number): Promise<string> {
  return (await send(api, 'POST', '/v1/budgets', { max_budget: amount })).body.budget_id as string;
}

verifiesGateway('gateway:alerts', async (arm) => {
  const { url, received } = await receiver();
  const webhook = { url, secret: WEBHOOK_SECRET };
  const api = await start(arm, { config: { ...MODELS, alerts: { thresholds: [30, 70], webhook } } });
  await send(api, 'POST', '/v1/users', { user_id: 'ada', budget_id: await createBudget(api, 2 * COST) });
  const key = await createKey(api, { user_id: 'ada' });
  const ask = async (): Promise<number> =>
    (await api.post('/v1/chat/completions', chatWith('openai:good', { max_tokens: 9 }), asKey(key))).status;
  expect(await ask()).toBe(200);
  await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 15_000, interval: 50 });
  expect(received[0]?.body).toMatchObject({
    type: 'budget.threshold_reached',
    data: { threshold: 30, spend: COST },
  });
  expect(received[0]?.headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}=$/);
  expect((await api.get('/v1/alerts', AS_MASTER)).body).toMatchObject([{ threshold: 30, attempts: 1 }]);
  expect(await send(api, 'POST', '/v1/alerts/test', {})).toMatchObject({
    status: 200,
    body: { status: 204 },
  });
  expect((await api.get('/metrics', AS_MASTER)).text).toContain('gateway_alerts_total{outcome="sent"} 1');
});

verifiesGateway('gateway:free-calls', async (arm) => {
  const api = await start(arm, { config: MODELS });
  const key = asKey(await createKey(api, { rpm: 10 }));
  const count = { model: 'openai:good', input: 'Hello' };
  const statuses: number[] = [];
  for (let sent = 0; sent < 21; sent += 1)
    statuses.push((await api.post('/v1/responses/input_tokens', count, key)).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  expect((await api.post('/v1/chat/completions', chatWith('openai:good'), key)).status).toBe(200);
});

verifiesGateway('gateway:failing-user', async (arm) => {
  const api = await start(arm, { config: { ...MODELS, retries: { base_delay: '1ms' } } });
  const [failing, other] = [asKey(await createKey(api)), asKey(await createKey(api))];
  const ask = (headers: Record<string, string>): Promise<Answer> =>
    api.post('/v1/chat/completions', chatWith('openai:fails-500'), headers);
  for (let sent = 0; sent < 10; sent += 1) await ask(failing);
  expect((await ask(failing)).headers.get('x-gateway-no-retry')).toBe('breaker_open');
  const { body } = await api.get('/v1/provider-states', AS_MASTER);
  expect(body[0]).toMatchObject({ breaker: 'closed', open_for_users: [expect.any(String)] });
  // Another user can still reach the provider.
  const { requests: before = 0 } = await openai.counts();
  await ask(other);
  expect((await openai.counts())['requests']).toBeGreaterThan(before);
});

verifiesGateway('gateway:tags', async (arm) => {
  const api = await start(arm, { config: MODELS });
  const key = await createKey(api);
  const ask = async (metadata: object, header = ''): Promise<number> =>
    (
      await api.post('/v1/chat/completions', chatWith('openai:good', { metadata }), {
        ...asKey(key),
        'x-gateway-tags': header,
      })
    ).status;
  expect(await ask({ tags: ['search'] }, 'nightly')).toBe(200);
  const { body } = await api.get('/v1/usage?tag=nightly&group_by=tag', AS_MASTER);
  expect(body.totals).toMatchObject({ requests: 1, cost: COST });
  expect(body.groups.map(({ group }: { group: object }) => group)).toEqual([
    { tag: 'nightly' },
    { tag: 'search' },
  ]);
  const budget = { budget_id: await createBudget(api, 0.001) };
  expect((await send(api, 'PUT', '/v1/tags/search', budget)).body).toMatchObject({ tag: 'search', spend: 0 });
  expect([await ask({ tags: ['search'] }), await ask({}), await ask({ tags: ['"'] })]).toEqual([
    403, 200, 422,
  ]);
});

verifiesGateway('gateway:price-map', async (arm) => {
  const api = await start(arm, { config: MODELS });
  const { body } = await api.get('/v1/price-map?search=claude-sonnet-4-5&limit=1', AS_MASTER);
  expect(body).toMatchObject({ prices: [{ model: expect.stringMatching(/claude-sonnet-4-5/) }] });
  const models = { openai: { 'gpt-5': { input: 1, output: 8 } } };
  const map = { format: 'encoderfile-prices-1', date: '2999-01-31', source: 'a contract', models };
  expect((await send(api, 'PUT', '/v1/price-map', map)).body).toMatchObject({
    models: 1,
    source: 'a contract',
  });
  expect((await send(api, 'PUT', '/v1/price-map', { ...map, models: {} })).status).toBe(422);
  expect((await api.get('/v1/price-map/openai:gpt-5', AS_MASTER)).body).toMatchObject({
    priced_by: 'map 2999-01-31 openai:gpt-5',
  });
  expect((await send(api, 'DELETE', '/v1/price-map', {})).status).toBe(204);
});

verifiesGateway('gateway:chat:limits:agents', async (arm) => {
  const api = await start(arm, { config: MODELS });
  const key = asKey(await createKey(api, { user_id: 'poor', budget: { max_budget: COST / 100 } }));
  const messages = [{ role: 'user', content: 'Hi' }];
  for (const [path, status, type, body] of [
    ['/v1/messages', 402, 'billing_error', { messages, max_tokens: 9 }],
    ['/v1/responses', 429, 'insufficient_quota', { input: 'Hi' }],
    ['/v1/chat/completions', 403, 'invalid_request_error', { messages }],
  ] as const) {
    const refused = await api.post(path, { model: 'openai:good', ...body }, key);
    expect([path, refused.status, refused.body.error.type, refused.headers.get('x-should-retry')]).toEqual([
      path,
      status,
      type,
      'false',
    ]);
  }
  // A rejected request costs nothing and has no usage row.
  expect((await api.get('/v1/users/poor/usage', AS_MASTER)).body).toEqual([]);
});
