import { describe, expect, test } from 'vitest';
import { MASTER_KEY } from '../master-key.ts';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();
const shared = useGateway();

const bearer = (key: string): Record<string, string> => ({ 'X-Gateway-Key': `Bearer ${key}` });

test('keys are listed as a bare array with their last use', async () => {
  const { ask, clock } = await open();
  const { body: one } = await ask('POST', '/v1/keys', { key_name: 'one' });
  clock.advance(1000);
  await ask('POST', '/v1/keys', { key_name: 'two' });
  await ask('GET', '/v1/keys/me', undefined, bearer(one.key));
  const { body } = await ask('GET', '/v1/keys');
  expect(
    body.map((key: { key_name: string; last_used_at: string }) => [key.key_name, key.last_used_at]),
  ).toEqual([
    ['one', '2026-03-01T12:00:01Z'],
    ['two', null],
  ]);
  expect((await ask('GET', '/v1/keys?skip=1&limit=1')).body).toMatchObject([{ key_name: 'two' }]);
});

test('PATCH can activate and deactivate a key, and clears fields set to null', async () => {
  const { ask } = await open();
  const { body: made } = await ask('POST', '/v1/keys', {
    key_name: 'x',
    expires_at: '2030-01-01',
    allowed_models: [],
    rpm: 1,
    budget: { max_budget: 1 },
    metadata: { a: 1 },
  });
  const path = `/v1/keys/${made.id}`;
  const useIt = async (): Promise<unknown> => {
    const { status, body } = await ask('GET', '/v1/keys/me', undefined, bearer(made.key));
    return [status, body.detail];
  };
  expect(await useIt()).toEqual([200, undefined]);
  expect((await ask('PATCH', path, { is_active: false })).body).toMatchObject({
    is_active: false,
    status: 'inactive',
    key_name: 'x',
    expires_at: '2030-01-01T00:00:00Z',
    allowed_models: [],
  });
  expect(await useIt()).toEqual([401, 'API key is inactive']);
  expect((await ask('PATCH', path, { is_active: true })).body.status).toBe('active');
  expect(await useIt()).toEqual([200, undefined]);
  const nulls = { key_name: null, expires_at: null, allowed_models: null, rpm: null, budget: null };
  expect((await ask('PATCH', path, { ...nulls, metadata: null })).body).toMatchObject({
    ...nulls,
    is_active: true,
    metadata: {},
  });
  expect(await ask('PATCH', path, { is_active: null })).toMatchObject({
    status: 422,
    body: { detail: 'is_active must be true or false, not null', error: { param: 'is_active' } },
  });
  expect((await ask('PATCH', path, { user_id: 'other' })).status).toBe(422);
  expect((await ask('PATCH', path, { expires_at: 0 })).body.error.param).toBe('expires_at');
});

test('an expired key is rejected, although is_active stays true', async () => {
  const { ask, clock } = await open();
  const { body: made } = await ask('POST', '/v1/keys', { expires_at: '2026-03-01T12:00:10Z' });
  clock.advance(10_000);
  expect((await ask('GET', `/v1/keys/${made.id}`)).body).toMatchObject({
    is_active: true,
    status: 'expired',
  });
  expect(await ask('GET', '/v1/keys/me', undefined, bearer(made.key))).toMatchObject({
    status: 401,
    body: { detail: 'API key has expired', error: { code: 'expired_key' } },
  });
});

describe('POST /v1/keys/{id}/rotate', () => {
  test('keeps the old key valid for grace_seconds', async () => {
    const { ask, clock } = await open();
    const { body: made } = await ask('POST', '/v1/keys', {});
    const { body } = await ask('POST', `/v1/keys/${made.id}/rotate`, { grace_seconds: 60 });
    clock.advance(59_000);
    for (const key of [made.key, body.key]) {
      expect((await ask('GET', '/v1/keys/me', undefined, bearer(key))).status).toBe(200);
    }
    clock.advance(1000);
    expect((await ask('GET', '/v1/keys/me', undefined, bearer(made.key))).status).toBe(401);
  });

  test.each([
    [{ grace_seconds: -1 }, 'grace_seconds must be at least 0, not -1'],
    [{ grace_seconds: 1.5 }, 'grace_seconds must be a whole number, not 1.5'],
    [{ grace_seconds: 1e9 }, 'grace_seconds must be at most 31536000, not 1000000000'],
    [{ grace: 1 }, 'unknown key "grace" (known keys: grace_seconds)'],
  ])('rejects invalid input: %j', async (sent, detail) => {
    const { ask } = shared();
    const { body: made } = await ask('POST', '/v1/keys', {});
    const { status, body } = await ask('POST', `/v1/keys/${made.id}/rotate`, sent);
    expect([status, body.detail]).toEqual([422, detail]);
    expect((await ask('GET', '/v1/keys/me', undefined, bearer(made.key))).status).toBe(200);
  });

  test('accepts a body only as JSON', async () => {
    const { ask, request } = shared();
    const { body: made } = await ask('POST', '/v1/keys', {});
    const path = `/v1/keys/${made.id}/rotate`;
    expect((await ask('POST', path, '', { 'Content-Type': 'application/json' })).status).toBe(200);
    const body = new Blob(['{"grace_seconds":1}']);
    expect((await request(path, { method: 'POST', headers: bearer(MASTER_KEY), body })).status).toBe(415);
  });
});

test.each(['GET', 'PATCH', 'DELETE', 'POST'])('%s on an unknown key returns 404', async (method) => {
  const path = `/v1/keys/nobody${method === 'POST' ? '/rotate' : ''}`;
  const { status, body } = await shared().ask(method, path, method === 'PATCH' ? {} : undefined);
  expect([status, body.detail, body.error.code]).toEqual([
    404,
    "API key with id 'nobody' not found",
    'key_not_found',
  ]);
});

describe('GET /v1/keys/me', () => {
  test('returns the used and remaining quota of a key', async () => {
    const { ask } = await open();
    const { body: made } = await ask('POST', '/v1/keys', {
      key_name: 'x',
      rpm: 60,
      budget: { max_budget: 5, budget_duration_sec: 60 },
      metadata: { note: 'for admins' },
    });
    const { status, body } = await ask('GET', '/v1/keys/me', undefined, bearer(made.key));
    expect(status).toBe(200);
    const nothing = {
      spend: 0,
      reserved: 0,
      max_budget: null,
      remaining: null,
      budget_started_at: null,
      next_budget_reset_at: null,
      requests: { used: 0, limit: null, remaining: null },
      tokens: { used: 0, limit: null, remaining: null },
      parallel: { used: 0, limit: null, remaining: null },
    };
    expect(body).toEqual({
      team_id: null,
      scope: 'models',
      id: made.id,
      key_prefix: made.key_prefix,
      key_name: 'x',
      user_id: made.user_id,
      created_at: '2026-03-01T12:00:00Z',
      expires_at: null,
      is_active: true,
      status: 'active',
      allowed_models: null,
      quota: {
        user: nothing,
        key: {
          ...nothing,
          max_budget: 5,
          remaining: 5,
          budget_started_at: '2026-03-01T12:00:00Z',
          next_budget_reset_at: '2026-03-01T12:01:00Z',
          requests: { used: 0, limit: 60, remaining: 60 },
        },
      },
    });
  });

  test('reports that the user is blocked', async () => {
    const { ask } = shared();
    const { body: made } = await ask('POST', '/v1/keys', {});
    await ask('PATCH', `/v1/users/${made.user_id}`, { blocked: true });
    expect(await ask('GET', '/v1/keys/me', undefined, bearer(made.key))).toMatchObject({
      status: 403,
      body: { detail: `User '${made.user_id}' is blocked`, error: { code: 'user_blocked' } },
    });
  });
});
