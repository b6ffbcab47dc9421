import { expect, test } from 'vitest';
import { newSpender, used } from '../requests.ts';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();
const shared = useGateway();

test('a budget can have an amount and a window, or neither', async () => {
  const { ask, clock } = await open();
  const { status, body } = await ask('POST', '/v1/budgets', { max_budget: 0.1, budget_duration_sec: 60 });
  expect([status, body]).toEqual([
    200,
    {
      budget_id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: null,
      max_budget: 0.1,
      budget_duration_sec: 60,
      alert_thresholds: null,
      calendar: null,
      time_zone: null,
      limits: null,
      created_at: '2026-03-01T12:00:00Z',
      updated_at: '2026-03-01T12:00:00Z',
    },
  ]);
  clock.advance(1);
  const { body: free } = await ask('POST', '/v1/budgets', { name: 'only counts' });
  expect(free).toMatchObject({ name: 'only counts', max_budget: null, budget_duration_sec: null });
  expect((await ask('GET', '/v1/budgets')).body).toEqual([body, free]);
  expect((await ask('GET', '/v1/budgets?skip=1')).body).toEqual([free]);
  expect((await ask('GET', `/v1/budgets/${body.budget_id}`)).body).toEqual(body);

  clock.advance(999);
  const path = `/v1/budgets/${body.budget_id}`;
  expect((await ask('PATCH', path, { max_budget: 2 })).body).toEqual({
    ...body,
    max_budget: 2,
    updated_at: '2026-03-01T12:00:01Z',
  });
  const cleared = { max_budget: null, budget_duration_sec: null };
  expect((await ask('PATCH', path, cleared)).body).toMatchObject(cleared);
});

test('a budget can have a calendar instead of a duration', async () => {
  const { ask } = await open();
  const { body } = await ask('POST', '/v1/budgets', { max_budget: 5, calendar: 'week' });
  expect(body).toMatchObject({ calendar: 'week', time_zone: 'UTC', budget_duration_sec: null });
  const path = `/v1/budgets/${body.budget_id}`;
  expect((await ask('PATCH', path, { time_zone: 'Asia/Tokyo' })).body).toMatchObject({
    time_zone: 'Asia/Tokyo',
  });
  const refused = await ask('PATCH', path, { budget_duration_sec: 60 });
  expect([refused.status, refused.body.error.param]).toEqual([422, 'calendar']);
  expect((await ask('POST', '/v1/budgets', { calendar: 'year' })).status).toBe(422);
  expect((await ask('POST', '/v1/budgets', { time_zone: 'UTC' })).body.detail).toBe(
    'time_zone requires calendar: day, week or month.',
  );
});

test.each(['GET', 'PATCH', 'DELETE'])('%s on an unknown budget returns 404', async (method) => {
  const sent = method === 'PATCH' ? {} : undefined;
  const { status, body } = await shared().ask(method, '/v1/budgets/B', sent);
  expect([status, body.detail, body.error.code]).toEqual([
    404,
    "Budget with id 'B' not found",
    'budget_not_found',
  ]);
});

test.each([
  [{ max_budget: -0.01 }, 'max_budget must be at least 0, not -0.01', 'max_budget'],
  [{ max_budget: '1' }, 'max_budget must be a number or null, not "1"', 'max_budget'],
  ['{"max_budget":1e999}', 'max_budget must be a number, not Infinity', 'max_budget'],
  [{ max_budget: 1e12 }, 'max_budget must be at most 9000000000, not 1000000000000', 'max_budget'],
  [
    { budget_duration_sec: 1.5 },
    'budget_duration_sec must be a whole number, not 1.5',
    'budget_duration_sec',
  ],
  [{ budget_duration_sec: 0 }, 'budget_duration_sec must be at least 1, not 0', 'budget_duration_sec'],
  [
    { budget_duration_sec: 4e9 },
    'budget_duration_sec is 4000000000; the maximum is 3153600000. Use null for a budget without resets.',
    'budget_duration_sec',
  ],
  [
    { budget_id: 'x' },
    'unknown key "budget_id" (known keys: name, max_budget, budget_duration_sec, calendar, time_zone, limits, alert_thresholds)',
    'budget_id',
  ],
])('an invalid budget is rejected: %j', async (sent, detail, param) => {
  const { status, body } = await shared().ask('POST', '/v1/budgets', sent);
  expect([status, body.detail, body.error.param]).toEqual([422, detail, param]);
});

test('the longest possible window has a valid end date', async () => {
  const { ask } = await open();
  const { body } = await ask('POST', '/v1/budgets', { budget_duration_sec: 3_153_600_000 });
  const { body: user } = await ask('POST', '/v1/users', { user_id: 'ada', budget_id: body.budget_id });
  expect(user.next_budget_reset_at).toBe('2126-02-05T12:00:00Z');
});

test('the reset log lists ended windows, newest first', async () => {
  const { ask, clock, context } = await open();
  const { identity, ledger } = context.state;
  const { body } = await ask('POST', '/v1/budgets', { max_budget: 1, budget_duration_sec: 60 });
  const estimate = { cost: 1n, tokens: 1, free: false };
  for (const user of ['ada', 'bob']) {
    await ask('POST', '/v1/users', { user_id: user, budget_id: body.budget_id });
    const spender = await newSpender(identity, { userId: user });
    await ledger.settle(await ledger.reserve(spender, estimate), used(250_000_000n));
    clock.advance(60_000);
    await ledger.release(await ledger.reserve(spender, estimate));
  }
  const { body: resets } = await ask('GET', '/v1/budgets/reset-logs');
  expect(resets).toEqual([
    {
      id: expect.any(String),
      user_id: 'bob',
      previous_spend: 0.25,
      reset_at: '2026-03-01T12:02:00Z',
      next_reset_at: '2026-03-01T12:03:00Z',
    },
    expect.objectContaining({ user_id: 'ada', reset_at: '2026-03-01T12:01:00Z' }),
  ]);
  expect((await ask('GET', '/v1/budgets/reset-logs?user_id=ada')).body).toEqual([resets[1]]);
  expect((await ask('GET', '/v1/budgets/reset-logs?skip=1&limit=1')).body).toEqual([resets[1]]);
  expect((await ask('GET', '/v1/budgets/reset-logs?limit=x')).status).toBe(422);
  expect((await ask('GET', '/v1/users/bob')).body).toMatchObject({
    spend: 0,
    budget_started_at: '2026-03-01T12:02:00Z',
  });
});
