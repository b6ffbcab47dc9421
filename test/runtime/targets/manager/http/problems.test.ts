import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import type { Answer } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({ servers: [serverSpec('echo', 'echo')] }));

function expectProblem({ status, headers, body }: Answer, expected: object): void {
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  expect(headers.get('Link')).toBe('</schemas/ErrorModel.json>; rel="describedBy"');
  expect(Object.keys(body).slice(0, 4)).toEqual(['$schema', 'title', 'status', 'detail']);
  expect(body).toMatchObject({ status, ...expected });
}

test('unknown paths return problem documents', async () => {
  for (const path of [
    '/',
    '/nothing',
    '/api/v1/nothing',
    '/api/v1/servers//tools',
    '/schemas/Nothing.json',
    '/%00',
  ]) {
    const answer = await api().get(path);
    expectProblem(answer, { status: 404, title: 'Not Found' });
    expect(answer.body.detail).toMatch(/^(No such path: GET|Unknown schema:) /);
  }
});

test('unknown methods return problem documents with the allowed methods', async () => {
  for (const [method, path, allowed] of [
    ['DELETE', '/api/v1/servers', 'GET, HEAD'],
    ['POST', '/api/v1/health/servers', 'GET, HEAD'],
    ['GET', '/api/v1/servers/echo/tools/echo', 'POST'],
    ['PUT', '/api/v1/servers/echo/prompts/greet/', 'POST'],
    ['OPTIONS', '/api/v1/servers', 'GET, HEAD'],
  ] as const) {
    const answer = await api().request(path, { method });
    expectProblem(answer, { status: 405, title: 'Method Not Allowed' });
    expect(answer.headers.get('Allow')).toBe(allowed);
  }
});

test('a trailing slash is ignored', async () => {
  for (const path of [
    '/api/v1/servers/',
    '/api/v1/health/servers/echo/',
    '/api/v1/servers/echo/tools/',
    '/healthz/',
  ]) {
    expect([path, (await api().get(path)).status]).toEqual([path, 200]);
  }
  expect((await api().post('/api/v1/servers/echo/tools/echo/', { message: 'x' })).body).toBe('x');
});

test('every response has a request ID, taken from the caller if it is valid', async () => {
  expect((await api().get('/nothing')).headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/);
  expect((await api().get('/nothing', { 'X-Request-Id': 'mine' })).headers.get('X-Request-Id')).toBe('mine');
});

test('requests are logged with their caller and counted in the metrics', async () => {
  await api().get('/api/v1/servers', { 'X-Request-Id': 'logged' });
  expect(api().managed.logged).toContainEqual(
    expect.objectContaining({ requestId: 'logged', caller: 'anyone', path: '/api/v1/servers', status: 200 }),
  );
  expect((await api().get('/metrics')).text).toContain(
    'http_request_duration_seconds_count{method="GET",route="/api/v1/servers",status="200"}',
  );
  for (const path of ['/healthz', '/readyz']) expect((await api().get(path)).status).toBe(200);
});

describe('cross-site requests from a browser', () => {
  const PATHS = ['/api/v1/servers', '/healthz', '/docs', '/nothing', '/metrics'];

  test('cross-site requests are rejected by their Host header, on every path', async () => {
    for (const path of PATHS) {
      expectProblem(await api().get(path, { Host: 'evil.example' }), {
        status: 403,
        title: 'Forbidden',
        detail:
          'Host "evil.example" is not allowed. Use an IP address or localhost, or allow the name with --allowed-hosts.',
      });
    }
    expect((await api().get('/api/v1/servers', { Host: 'localhost:8090' })).status).toBe(200);
  });

  test('cross-site requests are rejected by their Origin header, on every path and with any method', async () => {
    const headers = { Origin: 'https://evil.example' };
    for (const path of PATHS) expectProblem(await api().get(path, headers), { status: 403 });
    expect((await api().post('/api/v1/servers/echo/tools/echo', { message: 'x' }, headers)).status).toBe(403);
    const preflight = { ...headers, 'Access-Control-Request-Method': 'POST' };
    expect((await api().request('/api/v1/servers', { method: 'OPTIONS', headers: preflight })).status).toBe(
      403,
    );
  });

  test("requests from the manager's own page are allowed", async () => {
    expect(
      (await api().get('/openapi.json', { Host: 'localhost:1', Origin: 'http://localhost:1' })).status,
    ).toBe(200);
  });
});

test('a malformed request line also returns a problem document', async () => {
  const { port, hostname } = new URL(await api().listen());
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.end('GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n');
    });
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (text += part));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
  expect(JSON.parse(/\{[^]*\}/.exec(answer)?.[0] ?? '')).toMatchObject({ title: 'Bad Request', status: 400 });
});

describe('with API keys', () => {
  const locked = useApi(() => ({
    servers: [serverSpec('echo', 'echo'), serverSpec('other', 'echo')],
    keys: [
      keyOf('mcpm_all', { admin: true }),
      keyOf('mcpm_echo', { servers: ['echo'], tools: ['echo/ad*', 'echo/echo'] }),
      keyOf('mcpm_reader', { readOnly: true }),
      keyOf('mcpm_rare', { rate: '1/h' }),
    ],
  }));
  const as = (key: string): Record<string, string> => ({ Authorization: bearer(key) });

  test('401 explains how to send a key', async () => {
    for (const headers of [{}, { Authorization: bearer('mcpm_wrong') }]) {
      const answer = await locked().get('/api/v1/servers', headers);
      expectProblem(answer, { status: 401, title: 'Unauthorized' });
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
    }
    for (const path of ['/nothing', '/metrics', '/schemas/Nothing.json']) {
      expect((await locked().get(path)).status).toBe(401);
    }
  });

  test('public resources require no key', async () => {
    const open = ['/healthz', '/readyz', '/docs', '/openapi.json', '/openapi.yaml', '/assets/docs/page.js'];
    for (const path of [...open, '/schemas/Tool.json'])
      expect([path, (await locked().get(path)).status]).toEqual([path, 200]);
  });

  test('a key can see and call only its own items', async () => {
    const mine = as('mcpm_echo');
    expect((await locked().get('/api/v1/servers', mine)).body).toEqual(['echo']);
    expect((await locked().get('/api/v1/health/servers', mine)).body.servers).toHaveLength(1);
    const { body } = await locked().get('/api/v1/servers/echo/tools?detail=minimal', mine);
    expect(body.tools.map(({ name }: { name: string }) => name)).toEqual(['echo', 'add']);
    expect((await locked().post('/api/v1/servers/echo/tools/add', { a: 1, b: 2 }, mine)).body).toBe('3');
    for (const path of [
      'servers/other/tools',
      'servers/other/prompts',
      'health/servers/other',
      'health/servers/OTHER',
    ]) {
      expectProblem(await locked().get(`/api/v1/${path}`, mine), { status: 403 });
    }
    expectProblem(await locked().post('/api/v1/servers/echo/tools/env', {}, mine), {
      status: 403,
      detail: 'tool not allowed: echo/env',
    });
  });

  test('a read-only key can call only read-only tools', async () => {
    const mine = as('mcpm_reader');
    expect((await locked().post('/api/v1/servers/echo/tools/echo', { message: 'x' }, mine)).status).toBe(200);
    expect((await locked().post('/api/v1/servers/echo/tools/log', { text: 'x' }, mine)).status).toBe(403);
    const { text } = await locked().get('/api/v1/servers/echo/tools?detail=minimal', mine);
    expect(text).not.toContain('"log"');
  });

  test('only an admin key can use admin routes', async () => {
    for (const [method, path] of [
      ['GET', 'status'],
      ['POST', 'reload'],
      ['POST', 'servers/echo/restart'],
      ['GET', 'servers/echo/logs'],
    ] as const) {
      const answer = await locked().request(`/api/v1/admin/${path}`, { method, headers: as('mcpm_echo') });
      expectProblem(answer, { status: 403, detail: expect.stringContaining('keys create --admin') });
    }
    expect((await locked().get('/api/v1/admin/status', as('mcpm_all'))).status).toBe(200);
  });

  test('a key over its rate limit gets Retry-After', async () => {
    expect((await locked().get('/api/v1/servers', as('mcpm_rare'))).status).toBe(200);
    const answer = await locked().get('/api/v1/servers', as('mcpm_rare'));
    expectProblem(answer, { status: 429, title: 'Too Many Requests' });
    const seconds = Number(answer.headers.get('Retry-After'));
    expect(seconds).toBeGreaterThan(3500);
    expect(seconds).toBeLessThanOrEqual(3600);
  });
});

describe('web pages from other origins', () => {
  const origin = 'https://app.example';
  const open = useApi(() => ({
    servers: [],
    cors: {
      origins: [origin],
      methods: ['GET', 'POST'],
      headers: ['Content-Type'],
      exposedHeaders: ['X-Special'],
      credentials: true,
      maxAgeSeconds: 300,
    },
  }));

  test('web pages from other origins can call the API if configured', async () => {
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
    const preflight = await open().request('/api/v1/servers', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': 'Content-Type',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '300',
    });
    const answer = await open().get('/api/v1/servers', { Origin: origin });
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([200, origin]);
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('X-Special');
    expect((await open().get('/api/v1/servers', { Origin: 'https://b.example' })).status).toBe(403);
  });

  test('credentials are never allowed if every origin is allowed', async () => {
    const { headers } = await everyone().get('/api/v1/servers', { Origin: origin });
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Allow-Credentials')).toBe(null);
  });
  const everyone = useApi(() => ({
    servers: [],
    cors: {
      origins: ['*'],
      methods: [],
      headers: [],
      exposedHeaders: [],
      credentials: true,
      maxAgeSeconds: 1,
    },
  }));
});
