import { expect } from 'vitest';
import { MASTER_KEY } from './arms.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, asKey } from './config.ts';
import { shareGateways, useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const startOwn = useGateways();
const PLAIN = { config: {} };

verifiesGateway('gateway:credentials', async (arm) => {
  const api = await start(arm, PLAIN);
  const key = await createKey(api);
  const statusWith = async (headers: Record<string, string>): Promise<number> =>
    (await api.get('/v1/models', headers)).status;
  expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200);
  expect(await statusWith({ authorization: `bearer ${key}` })).toBe(200);
  expect(await statusWith({ 'x-gateway-key': `BEARER ${key}` })).toBe(200);
  expect(await statusWith(asKey(key))).toBe(200);
  expect(await statusWith({ 'x-api-key': key })).toBe(200);
  expect(await statusWith({ ...asKey(key), authorization: 'Bearer wrong' })).toBe(200);
  expect(await statusWith({ ...asKey('wrong'), authorization: `Bearer ${key}` })).toBe(401);
  expect(await statusWith({ 'x-gateway-key': '', authorization: `Bearer ${key}` })).toBe(200);
  expect(await statusWith({ authorization: 'Bearer wrong', 'x-api-key': key })).toBe(401);
  expect(await statusWith(AS_MASTER)).toBe(200);
});

verifiesGateway('gateway:credentials:refused', async (arm) => {
  const api = await start(arm, PLAIN);
  const { body: key } = await api.post('/v1/keys', {}, AS_MASTER);
  const cases: [Record<string, string>, string, string][] = [
    [{}, 'Missing X-Gateway-Key or Authorization header', 'missing_credentials'],
    [{ authorization: key.key }, "Invalid header format. Expected 'Bearer <token>'", 'invalid_format'],
    [
      { authorization: 'Bearer sk-1' },
      "Invalid API key format: API key must start with 'gw-' prefix",
      'invalid_key',
    ],
    [
      { authorization: 'Bearer gw-1' },
      'Invalid API key format: API key is too short. Expected at least 50 characters, got 4',
      'invalid_key',
    ],
    [
      asKey(`gw-${'!'.repeat(64)}`),
      'Invalid API key format: API key contains invalid characters. Must match pattern: gw-[A-Za-z0-9_-]+',
      'invalid_key',
    ],
    [asKey(`gw-${'x'.repeat(64)}`), 'Invalid API key', 'invalid_key'],
  ];
  for (const [headers, detail, code] of cases) {
    expect(await api.get('/v1/models', headers)).toMatchObject({
      status: 401,
      body: { detail, error: { message: detail, type: 'authentication_error', code, param: null } },
    });
  }
  await api.ask(`/v1/keys/${key.id}`, {
    method: 'PATCH',
    headers: { ...AS_MASTER, 'content-type': 'application/json' },
    body: '{"is_active":false}',
  });
  expect((await api.get('/v1/models', asKey(key.key))).body.error).toMatchObject({
    message: 'API key is inactive',
    code: 'inactive_key',
  });
});

verifiesGateway('gateway:master', async (arm) => {
  const api = await start(arm, PLAIN);
  const key = await createKey(api);
  for (const path of ['/v1/users', '/v1/keys', '/v1/budgets', '/v1/pricing', '/v1/admin/reload']) {
    for (const headers of [{}, asKey(key), asKey(`${MASTER_KEY}x`)]) {
      const { status, body } = await api.post(path, '{broken', headers);
      expect([path, status, body.error.type]).toEqual([path, 401, 'authentication_error']);
    }
    expect((await api.post(path, '{broken', AS_MASTER)).status).toBe(path.endsWith('reload') ? 200 : 400);
  }
});

verifiesGateway('gateway:master:none', async (arm) => {
  const api = await start(arm, { ...PLAIN, env: { GATEWAY_MASTER_KEY: '' } });
  for (const headers of [{}, AS_MASTER, { authorization: 'nonsense' }]) {
    expect(await api.get('/v1/users', headers)).toMatchObject({
      status: 503,
      body: {
        detail: 'Master key not configured. Set GATEWAY_MASTER_KEY environment variable.',
        error: { code: 'master_key_missing' },
      },
    });
  }
  expect((await api.get('/v1/models', AS_MASTER)).status).toBe(401);
  expect((await api.get('/health')).status).toBe(200);
});

verifiesGateway('gateway:errors', async (arm) => {
  const api = await start(arm, PLAIN);
  const cases: [method: string, path: string, status: number, code: string][] = [
    ['GET', '/nothing', 404, 'not_found'],
    ['GET', '/v1/nothing', 404, 'not_found'],
    ['PUT', '/v1/users', 405, 'method_not_allowed'],
    ['GET', '/v1/chat/completions', 405, 'method_not_allowed'],
    ['GET', '/v1/users/nobody', 404, 'user_not_found'],
    ['POST', '/v1/users', 400, 'malformed_request'],
  ];
  for (const [method, path, status, code] of cases) {
    const answer = await api.ask(path, { method, headers: AS_MASTER });
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
      path,
      status,
      'application/json',
    ]);
    expect(answer.body).toEqual({
      detail: expect.any(String),
      error: { message: answer.body.detail, type: 'invalid_request_error', code, param: null },
    });
    expect(answer.headers.get('x-request-id')).toMatch(/./);
  }
  const allowed = await api.ask('/v1/users', { method: 'PUT' });
  expect(allowed.headers.get('allow')).toBe('GET, HEAD, POST');
  const head = await fetch(`${api.url}/v1/users`, { method: 'HEAD', headers: AS_MASTER });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

verifiesGateway('gateway:errors:values', async (arm) => {
  const api = await start(arm, PLAIN);
  const wrong = { key_nam: 'x', rpm: 1.5, budget: { max_budget: -1 } };
  expect(await api.post('/v1/keys', wrong, AS_MASTER)).toMatchObject({
    status: 422,
    body: {
      detail:
        'unknown key "key_nam" (did you mean key_name?); rpm must be a whole number, not 1.5; budget/max_budget must be at least 0, not -1',
      error: { type: 'invalid_request_error', code: 'invalid_request', param: 'key_nam' },
    },
  });
  expect(await api.get('/v1/keys?limit=0', AS_MASTER)).toMatchObject({
    status: 422,
    body: { error: { param: 'limit' } },
  });
  expect((await api.post('/v1/keys', '{"key_name":', AS_MASTER)).status).toBe(400);
  expect((await api.post('/v1/keys', 'x'.repeat(1_100_000), AS_MASTER)).status).toBe(413);
  expect((await api.post('/v1/keys', '{}', { ...AS_MASTER, 'content-type': 'text/plain' })).status).toBe(415);
});

verifiesGateway('gateway:headers', async (arm) => {
  const api = await start(arm, PLAIN);
  const always = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };
  for (const [path, headers] of [
    ['/v1/users', AS_MASTER],
    ['/v1/users', {}],
    ['/nothing', {}],
  ] as const) {
    expect(Object.fromEntries((await api.get(path, headers)).headers)).toMatchObject({
      ...always,
      'cache-control': 'private, no-store, no-cache',
      vary: expect.stringContaining('Authorization'),
    });
  }
  const { headers } = await api.get('/health');
  expect(Object.fromEntries(headers)).toMatchObject(always);
  expect(headers.get('cache-control')).toBe(null);
});

verifiesGateway('gateway:cors', async (arm) => {
  const origin = 'https://app.example';
  const ask = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } };
  const closed = await (await start(arm, PLAIN)).ask('/v1/chat/completions', ask);
  expect([closed.status, closed.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  const open = await startOwn(arm, { config: { cors_allow_origins: [origin] } });
  const allowed = await open.ask('/v1/chat/completions', ask);
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
  const refused = await open.get('/v1/models', { origin });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
});
