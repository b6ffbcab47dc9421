import { expect, test } from 'vitest';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();
const shared = useGateway();

test('POST /v1/keys returns 200 with the new key', async () => {
  const { ask } = await open();
  const { status, body } = await ask('POST', '/v1/keys', { key_name: 'mobile app' });
  expect(status).toBe(200);
  expect(body).toEqual({
    team_id: null,
    tools: null,
    scope: 'models',
    id: expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/),
    key: expect.stringMatching(/^gw-[\w-]{64}$/),
    key_prefix: body.key.slice(0, 10),
    key_name: 'mobile app',
    user_id: `apikey-${body.id}`,
    created_at: '2026-03-01T12:00:00Z',
    expires_at: null,
    is_active: true,
    status: 'active',
    metadata: {},
    allowed_models: null,
    rpm: null,
    tpm: null,
    max_parallel: null,
    queue_sec: null,
    priority: null,
    log_prompts: null,
    allow_shadow: false,
    budget: null,
    spend: 0,
  });
  const user = await ask('GET', `/v1/users/${body.user_id}`);
  expect(user.body.alias).toBe('Virtual user for API key: mobile app');
});

test('creates a key with all properties', async () => {
  const { ask } = await open();
  const fields = {
    key_name: null,
    user_id: 'ada',
    metadata: { a: [1, { b: null }] },
    allowed_models: ['openai:*', 'fast'],
    rpm: 60,
    tpm: 10_000,
    max_parallel: 3,
    budget: { max_budget: 0.1, budget_duration_sec: 3600 },
  };
  const { body } = await ask('POST', '/v1/keys', { ...fields, expires_at: '2030-01-31T12:00:00Z' });
  expect(body).toMatchObject({ ...fields, expires_at: '2030-01-31T12:00:00Z' });
  expect((await ask('GET', '/v1/users/ada')).body.alias).toBe('User ada');
  const { key: _key, ...shown } = body;
  expect((await ask('GET', `/v1/keys/${body.id}`)).body).toEqual({ ...shown, last_used_at: null });
});

test('accepts an empty object and null values', async () => {
  const { ask } = shared();
  expect((await ask('POST', '/v1/keys', {})).status).toBe(200);
  const nulls = { key_name: null, user_id: null, expires_at: null, metadata: null, budget: null };
  expect((await ask('POST', '/v1/keys', nulls)).body).toMatchObject({ metadata: {}, budget: null });
});

test.each([
  ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00Z'],
  ['2030-01-31T12:00:00+02:00', '2030-01-31T10:00:00Z'],
  ['2030-01-31T12:00:00.123456+00:00', '2030-01-31T12:00:00.123Z'],
  ['2030-01-31T12:00:00', '2030-01-31T12:00:00Z'],
  ['2030-01-31 12:00', '2030-01-31T12:00:00Z'],
  ['2030-01-31', '2030-01-31T00:00:00Z'],
  ['1896091200', '2030-01-31T12:00:00Z'],
  [1_896_091_200, '2030-01-31T12:00:00Z'],
  [1_896_091_200.5, '2030-01-31T12:00:00.5Z'],
  [1_896_091_200_250, '2030-01-31T12:00:00.25Z'],
])('accepts %j as expires_at', async (given, shown) => {
  const { body } = await shared().ask('POST', '/v1/keys', { expires_at: given });
  expect(body.expires_at).toBe(shown);
});

test.each([
  [
    '2020-01-01T00:00:00Z',
    'expires_at 2020-01-01T00:00:00.000Z is in the past. Use a later time, or null for a key that does not expire.',
  ],
  [
    '2026-03-01T12:00:00Z',
    'expires_at 2026-03-01T12:00:00.000Z is in the past. Use a later time, or null for a key that does not expire.',
  ],
  ['soon', 'expires_at must be a time such as 2030-01-31T12:00:00Z or a Unix timestamp, not "soon"'],
  [
    '2027-02-30',
    'expires_at must be a time such as 2030-01-31T12:00:00Z or a Unix timestamp, not "2027-02-30"',
  ],
  [-1, 'expires_at must be a time such as 2030-01-31T12:00:00Z or a Unix timestamp, not -1'],
  [1e300, 'expires_at must be a time such as 2030-01-31T12:00:00Z or a Unix timestamp, not 1e+300'],
  [true, 'expires_at must be a time such as 2030-01-31T12:00:00Z, a Unix timestamp, or null, not true'],
])('rejects %j as expires_at', async (given, detail) => {
  const { status, body } = await shared().ask('POST', '/v1/keys', { expires_at: given });
  expect([status, body.detail, body.error.param]).toEqual([422, detail, 'expires_at']);
});

test.each([
  [{ name: 'x' }, 'name', /^unknown key "name"/],
  [{ is_active: false }, 'is_active', /^unknown key "is_active"/],
  [{ allowed_models: 'openai:*' }, 'allowed_models', /must be a list or null/],
  [{ allowed_models: [''] }, 'allowed_models[0]', /must not be empty/],
  [{ allowed_models: [5] }, 'allowed_models[0]', /must be text, not 5/],
  [{ max_parallel: -1 }, 'max_parallel', /must be at least 1, not -1/],
  [{ budget: 5 }, 'budget', /must be an object or null, not 5/],
  [{ budget: { max_budget: -1 } }, 'budget.max_budget', /must be at least 0, not -1/],
  [{ budget: { max_budget: '5' } }, 'budget.max_budget', /must be a number or null, not "5"/],
  [{ budget: { max_budget: 1e10 } }, 'budget.max_budget', /must be at most 9000000000/],
  [{ budget: { budget_duration_sec: 0 } }, 'budget.budget_duration_sec', /must be at least 1/],
  [{ budget: { budget_duration_sec: 1e12 } }, 'budget_duration_sec', /the maximum is 3153600000\./],
  [{ budget: { max: 1 } }, 'budget.max', /unknown key "max" in budget/],
  [{ user_id: 'a\ud800' }, 'user_id', /without null characters or unpaired surrogates/],
])('rejects invalid input: %j', async (sent, param, detail) => {
  const { status, body } = await shared().ask('POST', '/v1/keys', sent);
  expect([status, body.error.param, body.detail]).toEqual([422, param, expect.stringMatching(detail)]);
});
