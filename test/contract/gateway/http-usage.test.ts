import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import type { Api } from '../shared-services.ts';
import type { GatewayArm } from './arms.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const openai = await startFixture('openai');
const start = shareGateways();

const CONFIG = {
  config: {
    providers: providersFor({ openai }),
    aliases: { fast: 'openai:good' },
    pricing: { 'openai:good': { input_price_per_million: 1, output_price_per_million: 2 } },
  },
};

/** A gateway with a key that has called a model twice, once unsuccessfully; and that key. */
async function used(arm: GatewayArm, user: string): Promise<Api & { readonly key: string }> {
  const api = await start(arm, CONFIG);
  const key = await createKey(api, { user_id: user });
  expect((await api.post('/v1/chat/completions', chatWith('fast'), asKey(key))).status).toBe(200);
  expect((await api.post('/v1/chat/completions', chatWith('openai:fails-400'), asKey(key))).status).toBe(400);
  return { ...api, key };
}

verifiesGateway('gateway:usage', async (arm) => {
  const { get } = await used(arm, 'counted');
  const { body } = await get('/v1/usage?user_id=counted', AS_MASTER);
  // The fixture's counts: 21 input tokens, 9 output tokens.
  const cost = (21 * 1 + 9 * 2) / 1e6;
  expect(body.totals).toMatchObject({ requests: 2, errors: 1, prompt_tokens: 21, completion_tokens: 9 });
  expect(body.totals.cost).toBeCloseTo(cost, 9);
  const good = body.logs.find(({ status }: { status: string }) => status === 'success');
  expect(good).toMatchObject({
    user_id: 'counted',
    model: 'openai:good',
    provider: 'openai',
    endpoint: '/v1/chat/completions',
    total_tokens: 30,
    status_code: 200,
    usage_estimated: false,
  });
  const { body: sums } = await get('/v1/usage?user_id=counted&group_by=model&interval=day', AS_MASTER);
  expect(sums.groups.map(({ group }: { group: object }) => group)).toEqual([
    { model: 'openai:good' },
    { model: 'openai:fails-400' },
  ]);
  expect(sums.series[0].start).toMatch(/T00:00:00Z$/);
  expect((await get('/v1/users/counted', AS_MASTER)).body.spend).toBeCloseTo(cost, 9);
});

verifiesGateway('gateway:usage:trends', async (arm) => {
  const { get, key } = await used(arm, 'charted');
  const { body: spending } = await get(
    '/v1/usage/spending?user_id=charted&interval=hour&from=' + hoursAgo(2),
    AS_MASTER,
  );
  expect(spending).toMatchObject({
    interval: 'hour',
    totals: { requests: 2, errors: 1, total_tokens: 30 },
    groups: expect.arrayContaining([expect.objectContaining({ group: 'openai:good' })]),
  });
  expect((await get('/v1/usage/latency?user_id=charted', AS_MASTER)).body.all.answers).toBe(1);
  const { body: requests } = await get('/v1/requests?status=success', asKey(key));
  const { body: details } = await get(`/v1/requests/${requests.items[0].id}`, asKey(key));
  const parts: readonly { part: string; tokens: number }[] = details.attempts[0].cost_parts;
  // The fixture reports 4 cached tokens.
  expect(parts.map(({ part, tokens }) => [part, tokens])).toEqual([
    ['input', 17],
    ['cached_input', 4],
    ['output', 9],
  ]);
  expect((await get('/', {})).body).toMatchObject({ name: 'gateway' });
  const document = await get('/', { Accept: 'text/html' });
  const assets = [...document.text.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, path]) => `/${path}`);
  expect(assets).toContain('/assets/app.js');
  for (const path of ['/', ...assets]) {
    const page = await get(path, { Accept: 'text/html' });
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  }
});

verifiesGateway('gateway:usage:zones', async (arm) => {
  const { get } = await used(arm, 'zoned');
  const zone = 'time_zone=Asia/Kathmandu';
  for (const interval of ['hour', 'day', 'week', 'month']) {
    const { body } = await get(`/v1/usage?user_id=zoned&interval=${interval}&${zone}`, AS_MASTER);
    const spending = await get(
      `/v1/usage/spending?user_id=zoned&interval=${interval}&${zone}&from=${hoursAgo(2)}`,
      AS_MASTER,
    );
    expect(spending.body).toMatchObject({ interval, time_zone: 'Asia/Kathmandu', totals: { requests: 2 } });
    // The zone is 5:45 hours ahead of UTC.
    const isStart = interval === 'hour' ? /:15:00Z$/ : /T18:15:00Z$/;
    for (const [point] of [body.series, spending.body.points]) expect(point.start).toMatch(isStart);
  }
  const { status, body } = await get('/v1/usage/spending?time_zone=Nepal/Kathmandu', AS_MASTER);
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain('is not a time zone. Use a name such as Europe/Berlin or UTC.');
});

verifiesGateway('gateway:forecasts', async (arm) => {
  const { post, get } = await used(arm, 'forecasted');
  const budget = { max_budget: 5, calendar: 'month' };
  const { body: created } = await post('/v1/budgets', budget, AS_MASTER);
  await post('/v1/users', { user_id: 'limited', budget_id: created.budget_id }, AS_MASTER);
  const expected = { owner: { type: 'user', id: 'limited' }, max_budget: 5, days: 0, forecast: null };
  expect((await get('/v1/budgets/forecasts', AS_MASTER)).body).toMatchObject([expected]);
  expect((await get('/v1/budgets/forecasts?owner=user&id=limited', AS_MASTER)).body).toMatchObject([
    { ...expected, course: { past: expect.any(Array), future: [] } },
  ]);
  expect((await get('/v1/budgets/forecasts?owner=team', AS_MASTER)).body).toEqual([]);
  expect((await get('/v1/budgets/forecasts?owner=tag', AS_MASTER)).status).toBe(422);
});

const hoursAgo = (hours: number): number => Math.floor(Date.now() / 1000) - hours * 3600;

verifiesGateway('gateway:usage:own', async (arm) => {
  const { get, key } = await used(arm, 'own');
  const other = await createKey(await start(arm, CONFIG));
  expect((await get('/v1/usage', asKey(key))).body.totals.requests).toBe(2);
  expect((await get('/v1/usage', asKey(other))).body.totals.requests).toBe(0);
  expect((await get('/v1/usage?api_key_id=x', asKey(other))).status).toBe(403);
  expect((await get('/v1/usage')).status).toBe(401);
});

verifiesGateway('gateway:usage:csv', async (arm) => {
  const { get, key } = await used(arm, 'csv');
  for (const [query, headers] of [
    ['?format=csv', {}],
    ['', { accept: 'text/csv' }],
  ] as const) {
    const answer = await get(`/v1/usage${query}`, { ...asKey(key), ...headers });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows: Record<string, string>[] = parse(answer.text, { columns: true });
    expect(rows.map(({ model }) => model)).toEqual(['openai:good', 'openai:fails-400']);
  }
});

verifiesGateway('gateway:models', async (arm) => {
  const api = await start(arm, CONFIG);
  const idsFor = async (headers: Record<string, string>): Promise<string[]> =>
    (await api.get('/v1/models', headers)).body.data.map(({ id }: { id: string }) => id);
  expect(await idsFor(AS_MASTER)).toEqual(expect.arrayContaining(['fast', 'openai:good']));
  const key = asKey(await createKey(api, { allowed_models: ['fast'] }));
  expect(await idsFor(key)).toEqual(['fast']);
  expect((await api.get('/v1/models/fast', key)).body).toMatchObject({ id: 'fast', object: 'model' });
  expect(await api.get('/v1/models/openai:good', key)).toMatchObject({
    status: 404,
    body: { detail: "Model 'openai:good' not found", error: { code: 'model_not_found' } },
  });
});
