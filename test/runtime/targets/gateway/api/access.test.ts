import { describe, expect, test } from 'vitest';
import { MASTER_KEY } from '../master-key.ts';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const gateway = useGateway();
const open = useOwnGateways();

const MASTER = { 'X-Gateway-Key': `Bearer ${MASTER_KEY}` };

const MASTER_ONLY = [
  ['POST', '/v1/users'],
  ['GET', '/v1/users'],
  ['GET', '/v1/users/ada'],
  ['PATCH', '/v1/users/ada'],
  ['DELETE', '/v1/users/ada'],
  ['GET', '/v1/users/ada/usage'],
  ['POST', '/v1/keys'],
  ['GET', '/v1/keys'],
  ['GET', '/v1/keys/k'],
  ['PATCH', '/v1/keys/k'],
  ['DELETE', '/v1/keys/k'],
  ['POST', '/v1/keys/k/rotate'],
  ['POST', '/v1/teams'],
  ['GET', '/v1/teams'],
  ['PUT', '/v1/teams/t/members/ada'],
  ['POST', '/v1/organizations'],
  ['DELETE', '/v1/organizations/o'],
  ['POST', '/v1/budgets'],
  ['GET', '/v1/budgets'],
  ['GET', '/v1/budgets/reset-logs'],
  ['GET', '/v1/budgets/forecasts'],
  ['GET', '/v1/budgets/b'],
  ['PATCH', '/v1/budgets/b'],
  ['DELETE', '/v1/budgets/b'],
  ['GET', '/v1/tags'],
  ['GET', '/v1/tags/x'],
  ['PUT', '/v1/tags/x'],
  ['DELETE', '/v1/tags/x'],
  ['GET', '/v1/alerts'],
  ['POST', '/v1/alerts/test'],
  ['POST', '/v1/providers'],
  ['GET', '/v1/providers'],
  ['PATCH', '/v1/providers/x'],
  ['DELETE', '/v1/providers/x'],
  ['POST', '/v1/aliases'],
  ['PATCH', '/v1/aliases/x/y'],
  ['DELETE', '/v1/aliases/x/y'],
  ['DELETE', '/v1/cache'],
  ['POST', '/v1/pricing'],
  ['DELETE', '/v1/pricing/a:b'],
  ['GET', '/v1/price-map'],
  ['PUT', '/v1/price-map'],
  ['DELETE', '/v1/price-map'],
  ['GET', '/v1/price-map/a:b'],
  ['POST', '/v1/admin/reload'],
] as const;
const ANYONE = [
  '/v1/keys/me',
  '/v1/pricing',
  '/v1/pricing/a:b',
  '/v1/pricing/a:b/history',
  '/v1/usage',
  '/v1/models',
  '/v1/models/a:b',
] as const;

describe.each(MASTER_ONLY)('%s %s', (method, path) => {
  const send = (headers: Record<string, string>) => gateway().request(path, { method, headers });

  test('requires the master key before the body is read', async () => {
    // Malformed JSON that is also larger than the limit.
    const body = method === 'POST' || method === 'PATCH' ? '{'.repeat(2_000_000) : null;
    const key = (await gateway().ask('POST', '/v1/keys', {})).body.key;
    const cases: [Record<string, string>, string, string][] = [
      [{}, 'Missing X-Gateway-Key or Authorization header', 'missing_credentials'],
      [{ Authorization: MASTER_KEY }, "Invalid header format. Expected 'Bearer <token>'", 'invalid_format'],
      [
        { Authorization: `Basic ${MASTER_KEY}` },
        "Invalid header format. Expected 'Bearer <token>'",
        'invalid_format',
      ],
      [{ Authorization: `Bearer ${key}` }, 'Invalid master key', 'invalid_key'],
      [{ 'x-api-key': 'grüße'.normalize('NFC') }, 'Invalid master key', 'invalid_key'],
      [{ ...MASTER, 'X-Gateway-Key': 'Bearer wrong' }, 'Invalid master key', 'invalid_key'],
    ];
    for (const [headers, detail, code] of cases) {
      const answer = await gateway().request(path, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      });
      expect([answer.status, answer.body]).toEqual([
        401,
        { detail, error: { message: detail, type: 'authentication_error', code, param: null } },
      ]);
    }
    expect((await send({ Authorization: 'Bearer nonsense', ...MASTER })).status).not.toBe(401);
    expect((await send({ 'X-Gateway-Key': '', Authorization: `Bearer ${MASTER_KEY}` })).status).not.toBe(401);
    expect((await send({ Authorization: `bearer ${MASTER_KEY}` })).status).not.toBe(401);
    expect((await send({ 'x-api-key': MASTER_KEY })).status).not.toBe(401);
  });

  test('returns 503 if no master key is configured, regardless of the request', async () => {
    for (const headers of [{}, MASTER, { Authorization: 'nonsense' }]) {
      const answer = await keyless().request(path, { method, headers });
      expect([answer.status, answer.body.detail, answer.body.error.code]).toEqual([
        503,
        'Master key not configured. Set GATEWAY_MASTER_KEY environment variable.',
        'master_key_missing',
      ]);
    }
  });
});

const keyless = useGateway(() => ({ hasMasterKey: false }));

test.each(ANYONE)('%s requires a valid credential', async (path) => {
  const { request, ask } = gateway();
  const key = (await ask('POST', '/v1/keys', {})).body;
  expect((await request(path)).body.error.code).toBe('missing_credentials');
  expect((await request(path, { headers: { Authorization: 'Bearer gw-short' } })).body.detail).toBe(
    'Invalid API key format: API key is too short. Expected at least 50 characters, got 8',
  );
  expect((await request(path, { headers: { Authorization: 'Bearer sk-x' } })).body.detail).toBe(
    "Invalid API key format: API key must start with 'gw-' prefix",
  );
  expect(
    (await request(path, { headers: { Authorization: `Bearer gw-${'x'.repeat(64)}` } })).body.detail,
  ).toBe('Invalid API key');
  for (const headers of [
    { Authorization: `Bearer ${key.key}` },
    { 'X-Gateway-Key': `Bearer ${key.key}`, Authorization: 'nonsense' },
    { 'x-api-key': key.key },
    MASTER,
  ]) {
    expect([200, 400, 404]).toContain((await request(path, { headers })).status);
  }
  await ask('PATCH', `/v1/keys/${key.id}`, { is_active: false });
  expect((await request(path, { headers: { 'x-api-key': key.key } })).body.error.code).toBe('inactive_key');
});

test('rejected credentials are counted by reason', async () => {
  const { request, kernel } = await open();
  await request('/v1/users');
  await request('/v1/models');
  await request('/v1/models', { headers: { Authorization: 'x' } });
  await request('/v1/users', { headers: { 'x-api-key': 'x' } });
  const metrics = await kernel.metrics.metrics();
  expect(metrics).toContain('gateway_auth_failures_total{reason="missing_credentials"} 2');
  expect(metrics).toContain('gateway_auth_failures_total{reason="invalid_format"} 1');
  expect(metrics).toContain('gateway_auth_failures_total{reason="invalid_key"} 1');
});

test('the log contains the caller, but never a credential', async () => {
  const { request, ask, kernel } = await open();
  const { key, key_prefix: prefix } = (await ask('POST', '/v1/keys', {})).body;
  await request('/v1/models', { headers: { 'x-api-key': key } });
  await request('/v1/models', { headers: { 'x-api-key': `${key}x` } });
  const callers = kernel.logged.map(({ caller, path }) => [path, caller]);
  expect(callers).toEqual([
    ['/v1/keys', 'master'],
    ['/v1/models', prefix],
    ['/v1/models', undefined],
  ]);
  expect(JSON.stringify(kernel.logged)).not.toMatch(new RegExp(`${key}|${MASTER_KEY}`));
});

test('a server that is shutting down rejects requests with Retry-After', async () => {
  const { ask, kernel } = await open();
  void kernel.lifecycle.drain();
  const { status, headers, body } = await ask('GET', '/v1/users');
  expect([status, headers.get('Retry-After'), body.error.code]).toEqual([503, '1', 'shutting_down']);
});

describe('response headers', () => {
  const ALWAYS = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-request-id': expect.stringMatching(/./),
  };

  test.each([
    ['GET', '/v1/users', MASTER, 200],
    ['GET', '/v1/users', {}, 401],
    ['GET', '/v1/users/nobody', MASTER, 404],
    ['GET', '/nothing', {}, 404],
    ['PUT', '/v1/users', {}, 405],
    ['HEAD', '/v1/users', MASTER, 200],
    ['OPTIONS', '/v1/users', {}, 405],
    ['GET', '/openapi.json', {}, 200],
    ['GET', '/', {}, 200],
    ['GET', '/metrics', {}, 200],
  ] as const)('%s %s %j sets the common headers', async (method, path, headers, status) => {
    const answer = await gateway().request(path, { method, headers });
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...ALWAYS,
      'cache-control': 'private, no-store, no-cache',
      // Browsers receive the pages at `/`.
      vary: `Authorization, X-Gateway-Key, X-Api-Key${path === '/' ? ', Accept' : ''}`,
    });
  });

  test.each(['/health', '/health/liveness', '/health/readiness'])('%s can be cached', async (path) => {
    const answer = await gateway().request(path);
    expect(Object.fromEntries(answer.headers)).toMatchObject(ALWAYS);
    expect(answer.headers.get('Cache-Control')).toBe(null);
  });

  test('X-Request-Id is taken from the client if valid', async () => {
    const { request } = gateway();
    const asked = await request('/health', { headers: { 'X-Request-Id': 'mine-1' } });
    expect(asked.headers.get('X-Request-Id')).toBe('mine-1');
  });
});

describe('web pages from other origins', () => {
  const origin = 'https://app.example';
  const preflight = { Origin: origin, 'Access-Control-Request-Method': 'POST' };

  test('web pages from other origins are blocked by default', async () => {
    const answer = await gateway().request('/v1/models', { headers: { ...MASTER, Origin: origin } });
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(null);
    expect((await gateway().request('/v1/keys', { method: 'OPTIONS', headers: preflight })).status).toBe(405);
  });

  test('web pages from other origins are allowed if configured', async () => {
    const { request } = await open({ server: { corsOrigins: [origin] } });
    const allowed = await request('/v1/keys', {
      method: 'OPTIONS',
      headers: { ...preflight, 'Access-Control-Request-Headers': 'x-gateway-key' },
    });
    expect([allowed.status, Object.fromEntries(allowed.headers)]).toEqual([
      204,
      expect.objectContaining({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': expect.stringContaining('PATCH'),
        'access-control-allow-headers': 'x-gateway-key',
        'x-frame-options': 'DENY',
      }),
    ]);
    const refused = await request('/v1/users', { headers: { Origin: origin } });
    expect([refused.status, refused.headers.get('Access-Control-Allow-Origin')]).toEqual([401, origin]);
    expect(refused.headers.get('Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining');
    expect(refused.headers.get('Vary')).toBe('Authorization, X-Gateway-Key, X-Api-Key, Origin');
    const other = await request('/v1/users', { headers: { Origin: 'https://evil.example' } });
    expect(other.headers.get('Access-Control-Allow-Origin')).toBe(null);
  });

  test('web pages are allowed without credentials if * is configured', async () => {
    const { request } = await open({ server: { corsOrigins: ['*'] } });
    const { headers } = await request('/v1/users', { headers: { Origin: origin } });
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Allow-Credentials')).toBe(null);
  });
});

describe('the Host header', () => {
  const status = async (options: Parameters<typeof open>[0], host: string): Promise<number> =>
    (await (await open(options)).request('/health', { headers: { Host: host } })).status;

  test('the Host header must name this machine if no credentials are required', async () => {
    expect(await status({ hasMasterKey: false }, 'evil.example')).toBe(403);
    expect(await status({ hasMasterKey: false }, 'localhost:8000')).toBe(200);
    expect(await status({ hasMasterKey: false, server: { host: '0.0.0.0' } }, 'any.example')).toBe(200);
  });

  test('with a master key, any Host header is accepted, for example from proxies, unless hosts are configured', async () => {
    expect(await status({}, 'llm.example')).toBe(200);
    const server = { host: '0.0.0.0', allowedHosts: ['llm.example'] };
    expect(await status({ server }, 'llm.example')).toBe(200);
    expect(await status({ server }, 'evil.example')).toBe(403);
  });
});
