import { expect } from 'vitest';
import type { Answer, Api } from '../shared-services.ts';
import { AS_MASTER, asKey } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const PLAIN = { config: {} };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** With the master key. */
const send = (api: Api, method: string, path: string, body?: object): Promise<Answer> =>
  api.ask(path, {
    method,
    headers: { ...AS_MASTER, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
const worksNow = async (api: Api, key: string): Promise<boolean> =>
  (await api.get('/v1/keys/me', asKey(key))).status === 200;

verifiesGateway('gateway:lists', async (arm) => {
  const api = await start(arm, PLAIN);
  await send(api, 'POST', '/v1/users', { user_id: 'lists-émile', alias: 'Zed' });
  await send(api, 'POST', '/v1/users', { user_id: 'lists-bob', blocked: true });
  await send(api, 'POST', '/v1/teams', { team_id: 'lists-team' });
  await send(api, 'POST', '/v1/keys', { user_id: 'lists-bob', team_id: 'lists-team', key_name: 'Lists' });
  await send(api, 'POST', '/v1/budgets', { name: 'lists', max_budget: 5 });
  const list = async (path: string, member: string): Promise<unknown[]> =>
    (await send(api, 'GET', path)).body.map((item: Record<string, unknown>) => item[member]);
  expect(await list('/v1/users?search=LISTS-%C3%89', 'alias')).toEqual(['Zed']);
  expect(await list('/v1/users?search=lists&sort=-user_id', 'user_id')).toEqual(['lists-émile', 'lists-bob']);
  expect(await list('/v1/users?search=lists&status=blocked', 'user_id')).toEqual(['lists-bob']);
  expect(await list('/v1/users?team_id=lists-team', 'user_id')).toEqual(['lists-bob']);
  expect(await list('/v1/keys?user_id=lists-bob&status=active&search=list', 'key_name')).toEqual(['Lists']);
  expect(await list('/v1/teams?search=LISTS', 'team_id')).toEqual(['lists-team']);
  expect(await list('/v1/budgets?search=lists&sort=-max_budget', 'max_budget')).toEqual([5]);
  expect((await send(api, 'GET', '/v1/keys?stats=active')).status).toBe(422);
});

verifiesGateway('gateway:users', async (arm) => {
  const api = await start(arm, PLAIN);
  const made = await send(api, 'POST', '/v1/users', {
    user_id: 'ada/1',
    alias: 'Ada',
    metadata: { team: 'engines' },
  });
  expect([made.status, made.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(made.body).toEqual({
    user_id: 'ada/1',
    alias: 'Ada',
    spend: 0,
    reserved: 0,
    budget_id: null,
    budget_started_at: null,
    next_budget_reset_at: null,
    blocked: false,
    rpm: null,
    tpm: null,
    max_parallel: null,
    queue_sec: null,
    priority: null,
    no_shadow: false,
    created_at: expect.stringMatching(TIME),
    updated_at: expect.stringMatching(TIME),
    metadata: { team: 'engines' },
    role: 'member',
    team_id: null,
  });
  const path = '/v1/users/ada%2F1';
  expect((await send(api, 'GET', '/v1/users?limit=1000')).body).toContainEqual(made.body);
  expect((await send(api, 'GET', path)).body).toEqual(made.body);
  expect((await send(api, 'PATCH', path, { blocked: true })).body).toMatchObject({
    blocked: true,
    alias: 'Ada',
  });
  expect(await send(api, 'GET', `${path}/usage`)).toMatchObject({ status: 200, body: [] });
  expect(await send(api, 'POST', '/v1/users', { user_id: 'ada/1' })).toMatchObject({
    status: 409,
    body: {
      detail: "User with id 'ada/1' already exists",
      error: { code: 'user_exists', type: 'invalid_request_error', param: null },
    },
  });
  expect(await send(api, 'POST', '/v1/users', { user_id: 'bob', budget_id: 'B' })).toMatchObject({
    status: 404,
    body: { detail: "Budget with id 'B' not found", error: { code: 'budget_not_found' } },
  });
  expect((await send(api, 'GET', '/v1/users/bob')).status).toBe(404);
  const gone = await send(api, 'DELETE', path);
  expect([gone.status, gone.text]).toEqual([204, '']);
  expect(await send(api, 'GET', path)).toMatchObject({
    status: 404,
    body: { detail: "User with id 'ada/1' not found" },
  });
});

verifiesGateway('gateway:users:twice', async (arm) => {
  const api = await start(arm, PLAIN);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send(api, 'POST', '/v1/users', { user_id: 'many' })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
});

verifiesGateway('gateway:keys', async (arm) => {
  const api = await start(arm, PLAIN);
  const { status, body: made } = await send(api, 'POST', '/v1/keys', { key_name: 'mobile app' });
  expect([status, made]).toEqual([
    200,
    expect.objectContaining({ key_name: 'mobile app', expires_at: null, is_active: true, metadata: {} }),
  ]);
  const path = `/v1/keys/${made.id}`;
  const { key, ...shown } = made;
  expect((await send(api, 'GET', path)).body).toEqual({ ...shown, last_used_at: null });
  expect(await worksNow(api, key)).toBe(true);
  expect((await send(api, 'GET', '/v1/keys?limit=1000')).body).toContainEqual({
    ...shown,
    last_used_at: expect.stringMatching(TIME),
  });
  expect((await send(api, 'PATCH', path, { is_active: false })).body.is_active).toBe(false);
  expect(await worksNow(api, key)).toBe(false);
  expect((await send(api, 'PATCH', path, { is_active: true })).body.status).toBe('active');
  expect(await worksNow(api, key)).toBe(true);
  const gone = await send(api, 'DELETE', path);
  expect([gone.status, gone.text]).toEqual([204, '']);
  expect(await api.get('/v1/keys/me', asKey(key))).toMatchObject({
    status: 401,
    body: { detail: 'Invalid API key', error: { code: 'invalid_key', type: 'authentication_error' } },
  });
  expect((await send(api, 'GET', path)).body.detail).toBe(`API key with id '${made.id}' not found`);
  expect((await send(api, 'GET', `/v1/users/${made.user_id}`)).status).toBe(200);
});

verifiesGateway('gateway:keys:once', async (arm) => {
  const api = await start(arm, PLAIN);
  const { body: made } = await send(api, 'POST', '/v1/keys', { user_id: 'once' });
  expect(made.key).toMatch(/^gw-[\w-]{64}$/);
  expect(made.key.startsWith(made.key_prefix)).toBe(true);
  for (const answer of [
    await send(api, 'GET', '/v1/keys?limit=1000'),
    await send(api, 'GET', `/v1/keys/${made.id}`),
    await send(api, 'PATCH', `/v1/keys/${made.id}`, { key_name: 'x' }),
    await api.get('/v1/keys/me', asKey(made.key)),
  ]) {
    expect([answer.status, answer.text.includes(made.key)]).toEqual([200, false]);
  }
  expect(api.log()).not.toContain(made.key);
});

verifiesGateway('gateway:keys:expiry', async (arm) => {
  const api = await start(arm, PLAIN);
  expect(await send(api, 'POST', '/v1/keys', { expires_at: '2020-01-01T00:00:00' })).toMatchObject({
    status: 422,
    body: { error: { param: 'expires_at' } },
  });
  const soon = Date.now() / 1000 + 2;
  const { body: made } = await send(api, 'POST', '/v1/keys', { expires_at: soon });
  expect(made.expires_at).toMatch(TIME);
  await expect.poll(() => worksNow(api, made.key)).toBe(false);
  expect((await api.get('/v1/keys/me', asKey(made.key))).body.error.code).toBe('expired_key');
  expect((await send(api, 'GET', `/v1/keys/${made.id}`)).body).toMatchObject({
    is_active: true,
    status: 'expired',
  });
  expect((await send(api, 'PATCH', `/v1/keys/${made.id}`, { expires_at: null })).body.expires_at).toBe(null);
  expect(await worksNow(api, made.key)).toBe(true);
});

verifiesGateway('gateway:keys:rotate', async (arm) => {
  const api = await start(arm, PLAIN);
  const { body: made } = await send(api, 'POST', '/v1/keys', {});
  const { body: second } = await send(api, 'POST', `/v1/keys/${made.id}/rotate`);
  const { key, key_prefix } = second;
  expect(second).toEqual({ ...made, key, key_prefix });
  expect([key.startsWith(key_prefix), key === made.key]).toEqual([true, false]);
  expect([await worksNow(api, made.key), await worksNow(api, key)]).toEqual([false, true]);
  const { body: third } = await send(api, 'POST', `/v1/keys/${made.id}/rotate`, { grace_seconds: 60 });
  expect([await worksNow(api, second.key), await worksNow(api, third.key)]).toEqual([true, true]);
  expect(third.id).toBe(made.id);
});

verifiesGateway('gateway:keys:me', async (arm) => {
  const api = await start(arm, PLAIN);
  const { body: made } = await send(api, 'POST', '/v1/keys', { rpm: 10, budget: { max_budget: 5 } });
  expect((await api.get('/v1/keys/me', asKey(made.key))).body).toMatchObject({
    id: made.id,
    quota: {
      user: { spend: 0, max_budget: null, remaining: null },
      key: { spend: 0, max_budget: 5, remaining: 5, requests: { used: 0, limit: 10, remaining: 10 } },
    },
  });
  expect(await api.get('/v1/keys/me', AS_MASTER)).toMatchObject({
    status: 400,
    body: { error: { code: 'virtual_key_required' } },
  });
});

verifiesGateway('gateway:budgets', async (arm) => {
  const api = await start(arm, PLAIN);
  const { status, body } = await send(api, 'POST', '/v1/budgets', {
    max_budget: 0.1,
    budget_duration_sec: 60,
  });
  expect([status, body]).toEqual([
    200,
    {
      budget_id: expect.any(String),
      name: null,
      max_budget: 0.1,
      budget_duration_sec: 60,
      alert_thresholds: null,
      calendar: null,
      time_zone: null,
      limits: null,
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
    },
  ]);
  const path = `/v1/budgets/${body.budget_id}`;
  expect((await send(api, 'PATCH', path, { max_budget: 2.5 })).body.max_budget).toBe(2.5);
  await send(api, 'POST', '/v1/users', { user_id: 'limited', budget_id: body.budget_id });
  expect((await send(api, 'GET', '/v1/users/limited')).body.next_budget_reset_at).toMatch(TIME);
  expect(await send(api, 'DELETE', path)).toMatchObject({
    status: 409,
    body: { error: { code: 'budget_in_use' } },
  });
  await send(api, 'PATCH', '/v1/users/limited', { budget_id: null });
  const gone = await send(api, 'DELETE', path);
  expect([gone.status, gone.text]).toEqual([204, '']);
  expect((await send(api, 'GET', path)).status).toBe(404);
  expect((await send(api, 'GET', '/v1/budgets/reset-logs')).status).toBe(200);
});

verifiesGateway('gateway:pricing', async (arm) => {
  const api = await start(arm, PLAIN);
  const prices = { input_price_per_million: 0.25, output_price_per_million: 2 };
  const model = 'together:meta-llama/Llama-3.3-70B';
  for (const input of [1, 0.25]) {
    const body = { model_key: model, ...prices, input_price_per_million: input };
    expect((await send(api, 'POST', '/v1/pricing', body)).status).toBe(200);
  }
  expect((await send(api, 'GET', `/v1/pricing/${model}`)).body).toEqual({
    model_key: model,
    ...prices,
    cached_input_price_per_million: null,
    cache_write_price_per_million: null,
    cache_write_1h_price_per_million: null,
    tiers: [],
    effective_at: expect.stringMatching(TIME),
  });
  const { body: history } = await send(api, 'GET', `/v1/pricing/${model}/history`);
  expect(history[0].input_price_per_million).toBe(0.25);
  expect((await api.get('/v1/pricing')).status).toBe(401);
  expect((await send(api, 'DELETE', `/v1/pricing/${model}`)).status).toBe(204);
  expect((await send(api, 'GET', `/v1/pricing/${model}`)).body.detail).toBe(
    `Pricing for model '${model}' not found`,
  );
});
