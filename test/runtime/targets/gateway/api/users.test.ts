import { describe, expect, test } from 'vitest';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();
const shared = useGateway();

describe('POST /v1/users', () => {
  test('assigns a budget and starts its window', async () => {
    const { ask } = await open();
    const budget = await ask('POST', '/v1/budgets', { max_budget: 5, budget_duration_sec: 60 });
    const { body } = await ask('POST', '/v1/users', {
      user_id: 'ada',
      budget_id: budget.body.budget_id,
      blocked: true,
      rpm: 60,
      tpm: 1000,
      max_parallel: 2,
    });
    expect(body).toMatchObject({
      budget_id: budget.body.budget_id,
      budget_started_at: '2026-03-01T12:00:00Z',
      next_budget_reset_at: '2026-03-01T12:01:00Z',
      blocked: true,
      rpm: 60,
      tpm: 1000,
      max_parallel: 2,
    });
  });
});

test('users are listed as a bare array in creation order, with skip and limit', async () => {
  const { ask, clock } = await open();
  for (const name of ['c', 'a', 'b']) {
    await ask('POST', '/v1/users', { user_id: name });
    clock.advance(1);
  }
  const namesOf = async (query: string): Promise<string[]> =>
    (await ask('GET', `/v1/users${query}`)).body.map(({ user_id: name }: { user_id: string }) => name);
  expect(await namesOf('')).toEqual(['c', 'a', 'b']);
  expect(await namesOf('/')).toEqual(['c', 'a', 'b']);
  expect(await namesOf('?skip=1')).toEqual(['a', 'b']);
  expect(await namesOf('?skip=1&limit=1')).toEqual(['a']);
  expect(await namesOf('?skip=&limit=')).toEqual(['c', 'a', 'b']);
  expect(await namesOf('?skip=9007199254740991')).toEqual([]);
});

test.each([
  ['limit=0', 'limit must be a whole number from 1 to 1000, not "0"', 'limit'],
  ['limit=1001', 'limit must be a whole number from 1 to 1000, not "1001"', 'limit'],
  ['limit=abc', 'limit must be a whole number from 1 to 1000, not "abc"', 'limit'],
  ['limit=1.5', 'limit must be a whole number from 1 to 1000, not "1.5"', 'limit'],
  ['skip=-1', 'skip must be a whole number from 0 to 9007199254740991, not "-1"', 'skip'],
  ['skip=1e400', 'skip must be a whole number from 0 to 9007199254740991, not "1e400"', 'skip'],
  [
    'skip=99999999999999999999',
    'skip must be a whole number from 0 to 9007199254740991, not "99999999999999999999"',
    'skip',
  ],
])('?%s returns 422', async (query, detail, param) => {
  const { ask } = shared();
  const { status, body } = await ask('GET', `/v1/users?${query}`);
  expect([status, body.detail, body.error.param]).toEqual([422, detail, param]);
});

test('PATCH updates the given fields, and clears fields set to null', async () => {
  const { ask, clock } = await open();
  const budget = (await ask('POST', '/v1/budgets', { max_budget: 1 })).body.budget_id;
  await ask('POST', '/v1/users', { user_id: 'ada', alias: 'Ada', budget_id: budget, rpm: 5 });
  clock.advance(1500);
  expect((await ask('PATCH', '/v1/users/ada', { blocked: true, metadata: { a: 1 } })).body).toMatchObject({
    alias: 'Ada',
    budget_id: budget,
    blocked: true,
    metadata: { a: 1 },
    created_at: '2026-03-01T12:00:00Z',
    updated_at: '2026-03-01T12:00:01.5Z',
  });
  const cleared = { alias: null, budget_id: null, rpm: null, metadata: null };
  expect((await ask('PATCH', '/v1/users/ada', cleared)).body).toMatchObject({
    alias: null,
    budget_id: null,
    budget_started_at: null,
    rpm: null,
    blocked: true,
    metadata: {},
  });
  expect(await ask('PATCH', '/v1/users/ada', { blocked: null })).toMatchObject({
    status: 422,
    body: { detail: 'blocked must be true or false, not null', error: { param: 'blocked' } },
  });
  expect(
    (await ask('POST', '/v1/users', { user_id: 'eve', blocked: null, metadata: null })).body,
  ).toMatchObject({
    blocked: false,
    metadata: {},
  });
  expect((await ask('PATCH', '/v1/users/ada', {})).status).toBe(200);
  expect(await ask('PATCH', '/v1/users/nobody', {})).toMatchObject({
    status: 404,
    body: { detail: "User with id 'nobody' not found", error: { code: 'user_not_found' } },
  });
  expect((await ask('PATCH', '/v1/users/ada', { budget_id: 'B' })).status).toBe(404);
});

test("DELETE returns 204 without a body and disables the user's keys, and a recreated user starts with new budgets", async () => {
  const { ask, request } = await open();
  await ask('POST', '/v1/users', { user_id: 'ada', alias: 'Ada' });
  const { body: key } = await ask('POST', '/v1/keys', { user_id: 'ada' });
  const gone = await ask('DELETE', '/v1/users/ada');
  expect([gone.status, gone.text, gone.headers.get('Content-Type')]).toEqual([204, '', null]);
  expect((await ask('DELETE', '/v1/users/ada')).status).toBe(404);
  expect((await ask('GET', '/v1/users/ada')).status).toBe(404);
  expect((await ask('GET', '/v1/users')).body).toEqual([]);
  expect(await request('/v1/keys/me', { headers: { Authorization: `Bearer ${key.key}` } })).toMatchObject({
    status: 401,
    body: { detail: 'API key is inactive', error: { code: 'inactive_key' } },
  });
  expect(await ask('POST', '/v1/keys', { user_id: 'ada' })).toMatchObject({
    status: 404,
    body: { detail: "User 'ada' has been deleted. Recreate via POST /v1/users first." },
  });
  expect(await ask('POST', '/v1/users', { user_id: 'ada' })).toMatchObject({
    status: 200,
    body: { alias: null, spend: 0 },
  });
});

test.each(['a/b', 'ä ö/ü', '🙂', 'x%2Fy', '%', 'a?b#c', '50%', 'x\ty', "o'neill", '"', 'usage', 'a/usage'])(
  'a user ID can be %j',
  async (name) => {
    const { ask } = shared();
    expect((await ask('POST', '/v1/users', { user_id: name })).body.user_id).toBe(name);
    const path = `/v1/users/${encodeURIComponent(name)}`;
    expect((await ask('GET', path)).body.user_id).toBe(name);
    expect((await ask('PATCH', path, { alias: name })).body.alias).toBe(name);
    expect((await ask('GET', `${path}/usage`)).body).toEqual([]);
    expect((await ask('DELETE', path)).status).toBe(204);
  },
);

const WRONG: Readonly<Record<string, [body: unknown, detail: string, param: string | null]>> = {
  'no id': [{}, 'user_id is missing', 'user_id'],
  'an empty id': [{ user_id: '' }, 'user_id must not be empty', 'user_id'],
  'a number as id': [{ user_id: 5 }, 'user_id must be text, not 5', 'user_id'],
  'a long id': [{ user_id: 'x'.repeat(257) }, 'user_id must have at most 256 characters, not 257', 'user_id'],
  'a zero in the id': [
    { user_id: 'a\0b' },
    'Invalid user_id "a\\u0000b": it must have 1 to 256 characters, without null characters or unpaired surrogates.',
    'user_id',
  ],
  'an id with a special meaning in paths': [
    { user_id: '..' },
    'Invalid user_id "..": it has a special meaning in URL paths.',
    'user_id',
  ],
  'a misspelled member': [
    { user_id: 'a', metdata: {} },
    'unknown key "metdata" (did you mean metadata?)',
    'metdata',
  ],
  'a word instead of a boolean': [
    { user_id: 'a', blocked: 'yes' },
    'blocked must be true or false or null, not "yes"',
    'blocked',
  ],
  'a list as metadata': [
    { user_id: 'a', metadata: [] },
    'metadata must be an object or null, not a list',
    'metadata',
  ],
  'a fractional request limit': [{ user_id: 'a', rpm: 1.5 }, 'rpm must be a whole number, not 1.5', 'rpm'],
  'a request limit of zero': [{ user_id: 'a', rpm: 0 }, 'rpm must be at least 1, not 0', 'rpm'],
  'an excessive request limit': [
    { user_id: 'a', rpm: 1e300 },
    'rpm is 1e+300; it must be an integer of at least 1, or null for no limit.',
    'rpm',
  ],
  'large metadata': [
    { user_id: 'a', metadata: { text: 'x'.repeat(20_000) } },
    'metadata has 20011 bytes as JSON; the maximum is 16384.',
    'metadata',
  ],
  'several problems': [
    { user_id: 1, alias: 2 },
    'user_id must be text, not 1; alias must be text or null, not 2',
    'user_id',
  ],
  'a list': [[], 'the body must be an object, not a list', null],
  nothing: ['null', 'the body must be an object, not null', null],
};

test.each(Object.entries(WRONG))('an invalid user is rejected: %s', async (_, [sent, detail, param]) => {
  const { ask } = shared();
  const { status, body } = await ask('POST', '/v1/users', sent);
  expect([status, body.detail, body.error.param]).toEqual([422, detail, param]);
  expect(body.error.message).toBe(detail);
  expect((await ask('GET', '/v1/users/a')).status).toBe(404);
});

test('returns the usage of a user', async () => {
  const { ask } = await open();
  await ask('POST', '/v1/users', { user_id: 'ada' });
  expect(await ask('GET', '/v1/users/ada/usage?limit=5')).toMatchObject({ status: 200, body: [] });
  expect((await ask('GET', '/v1/users/nobody/usage')).status).toBe(404);
  expect((await ask('GET', '/v1/users/ada/usage?limit=x')).status).toBe(422);
});
