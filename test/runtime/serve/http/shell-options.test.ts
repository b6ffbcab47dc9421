import { describe, expect, test } from 'vitest';
import { createAccess } from '#serve/access.ts';
import { AppError } from '#contract/errors.ts';
import type { ErrorFormat } from '#serve/http/error-response.ts';
import { httpShell } from '#serve/http/shell.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

const PROBLEMS: ErrorFormat = {
  prefix: '',
  mediaType: 'application/problem+json',
  body({ message }, status, c) {
    c.header('X-Made', 'by the format');
    return { message, status, path: c.req.path };
  },
};

test('an error format without a prefix applies to all errors, and can add headers', async () => {
  const app = httpShell(testKernel(), { errorFormats: [PROBLEMS] });
  for (const path of ['/', '/nothing', '/v1/x']) {
    const response = await app.request(path);
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(response.headers.get('X-Made')).toBe('by the format');
    expect(await response.json()).toEqual({ message: `No such path: GET ${path}`, status: 404, path });
  }
});

test.each([
  [undefined, '1'],
  [0, '1'],
  [0.2, '1'],
  [12.1, '13'],
])('a retry delay of %s seconds is rounded in Retry-After', async (retryAfterSeconds, header) => {
  for (const code of ['OverloadedError', 'UnavailableError'] as const) {
    const app = httpShell(testKernel());
    app.get(`/${code}`, () => {
      throw new AppError(code, 'later', { retryAfterSeconds });
    });
    expect((await app.request(`/${code}`)).headers.get('Retry-After')).toBe(header);
  }
});

test('trailing slashes can be ignored', async () => {
  const statuses = async (strict: boolean): Promise<number[]> => {
    const app = httpShell(testKernel(), { strict });
    return await Promise.all(['/healthz', '/healthz/'].map(async (path) => (await app.request(path)).status));
  };
  expect(await statuses(true)).toEqual([200, 404]);
  expect(await statuses(false)).toEqual([200, 200]);
});

test('routes and log lines contain the caller, except for open paths', async () => {
  const kernel = testKernel();
  const access = { check: (header: string | null | undefined) => ({ name: header ?? 'nobody' }) };
  const app = httpShell({ ...kernel, access }, { openPaths: ['/open'] });
  for (const path of ['/open', '/closed']) app.get(path, (c) => c.json(c.get('caller') ?? null));
  const ask = async (path: string): Promise<unknown> =>
    (await app.request(path, { headers: { Authorization: 'me' } })).json();
  expect([await ask('/open'), await ask('/closed')]).toEqual([null, { name: 'me' }]);
  const callers = kernel.logged.map(({ path, caller }) => [path, caller]);
  expect(callers).toEqual([
    ['/open', undefined],
    ['/closed', 'me'],
  ]);
});

describe('host rules apply to every path', () => {
  const app = httpShell(testKernel(), {
    hostRules: { hostname: '127.0.0.1', allowedHosts: ['tools.example'] },
  });
  const statusOf = async (headers: Record<string, string>, path = '/healthz'): Promise<number> =>
    (await app.request(path, { headers })).status;

  test('a request to an unknown host name is rejected', async () => {
    for (const host of ['localhost:80', '127.0.0.1', 'tools.example'])
      expect(await statusOf({ Host: host })).toBe(200);
    for (const path of ['/healthz', '/metrics', '/nothing']) {
      expect(await statusOf({ Host: 'evil.example' }, path)).toBe(403);
    }
  });

  test('a request from a web page of another origin is rejected', async () => {
    expect(await statusOf({ Origin: 'http://localhost' })).toBe(200);
    expect(await statusOf({ Origin: 'http://localhost:3000' })).toBe(403);
    expect(await statusOf({ Origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf({ Origin: 'null' })).toBe(403);
  });
});

test('pages from other origins are limited by the CORS rules, and can use credentials only if listed', async () => {
  const corsRules = { methods: ['GET'], headers: ['X-A'], credentials: true, maxAgeSeconds: 7 };
  const preflight = {
    method: 'OPTIONS',
    headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
  };
  const headersFor = async (corsOrigins: string[]): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await httpShell(testKernel(), { corsOrigins, corsRules }).request('/healthz', preflight)).headers,
    );
  expect(await headersFor(['https://a.example'])).toMatchObject({
    'access-control-allow-origin': 'https://a.example',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'X-A',
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '7',
  });
  const all = await headersFor(['*', 'https://a.example']);
  expect(all).toMatchObject({ 'access-control-allow-origin': '*' });
  expect(all).not.toHaveProperty('access-control-allow-credentials');
});

test.each([
  ['open', 200, 200],
  ['key', 401, 200],
  ['off', 401, 404],
] as const)(
  'with metrics %s, a request without a key gets %i, and a request with a key gets %i',
  async (metrics, without, withKey) => {
    const access = createAccess(['secret']);
    const app = httpShell({ ...testKernel(), access }, { metrics });
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await app.request('/metrics', { headers })).status;
    expect(await status({ Authorization: 'Bearer secret' })).toBe(withKey);
    expect(await status({})).toBe(without);
  },
);
