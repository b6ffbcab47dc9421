import { describe, expect, test } from 'vitest';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { HTTP_STATUS } from '#serve/errors/http-status.ts';
import { admit, createLifecycle } from '#serve/lifecycle.ts';
import { OPENAI_ERRORS } from '#serve/http/openai-error.ts';
import { httpShell } from '#serve/http/shell.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe('request IDs', () => {
  const app = httpShell(testKernel());
  const idFor = async (given?: string): Promise<string | null> => {
    const response = await app.request(
      '/healthz',
      given === undefined ? {} : { headers: { 'X-Request-Id': given } },
    );
    return response.headers.get('X-Request-Id');
  };

  test('a valid ID is kept, and any other is replaced', async () => {
    expect(await idFor('My_id-1.2')).toBe('My_id-1.2');
    expect(await idFor('x'.repeat(128))).toBe('x'.repeat(128));
    for (const bad of [undefined, '', 'x'.repeat(129), 'a b', 'a"b', 'ä'.normalize('NFC')]) {
      expect(await idFor(bad)).toMatch(UUID);
    }
  });

  test('error responses and direct responses also have a request ID', async () => {
    const own = httpShell(testKernel());
    own.get('/raw', () => new Response('raw'));
    own.get('/foreign', () => fetch('data:text/plain,foreign'));
    for (const path of ['/raw', '/foreign', '/nothing']) {
      expect((await own.request(path)).headers.get('X-Request-Id')).toMatch(UUID);
    }
  });
});

describe('errors', () => {
  test.each(Object.entries(HTTP_STATUS))(
    '%s returns %i with the bare message as text',
    async (code, status) => {
      const app = httpShell(testKernel());
      app.get('/fails', () => {
        throw new AppError(code as ErrorCode, `what is wrong: ${code}`, { cause: new Error('secret') });
      });
      const response = await app.request('/fails');
      expect(response.status).toBe(status);
      expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
      expect(response.headers.get('Retry-After')).toBe([429, 503].includes(status) ? '1' : null);
      expect(response.headers.get('WWW-Authenticate')).toBe(status === 401 ? 'Bearer' : null);
      expect(await response.text()).toBe(`what is wrong: ${code}`);
    },
  );

  test('an unexpected error is logged and never returned', async () => {
    const kernel = testKernel();
    const app = httpShell(kernel);
    app.get('/breaks', () => {
      throw new TypeError('secret');
    });
    const response = await app.request('/breaks', { headers: { 'X-Request-Id': 'the-id' } });
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('Internal error');
    const logged = kernel.logged.find(({ msg }) => msg === 'request failed');
    expect(logged).toMatchObject({ requestId: 'the-id', err: { type: 'TypeError', message: 'secret' } });
  });

  test('an unknown path returns 404, and an unsupported method 405 with Allow', async () => {
    const app = httpShell(testKernel());
    app.get('/thing/:id', (c) => c.text('thing'));
    app.delete('/thing/:id', (c) => c.text('gone'));
    const unknown = await app.request('/thing');
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toBe('No such path: GET /thing');
    for (const method of ['POST', 'PUT', 'OPTIONS', 'PATCH', 'PROPFIND']) {
      const wrong = await app.request('/thing/1', { method });
      expect(wrong.status).toBe(405);
      expect(wrong.headers.get('Allow')).toBe('GET, HEAD, DELETE');
      expect(await wrong.text()).toBe(
        `Method not allowed: ${method} /thing/1. Allowed methods: GET, HEAD, DELETE.`,
      );
    }
    expect((await app.request('/thing/1', { method: 'HEAD' })).status).toBe(200);
    expect((await (await app.request(`/${'x'.repeat(10_000)}`)).text()).length).toBeLessThan(300);
  });

  test('every error below an API path has the error format of that API', async () => {
    const app = httpShell(testKernel(['key']), { errorFormats: [OPENAI_ERRORS] });
    app.post('/v1/things', () => {
      throw new AppError('OverloadedError', 'busy');
    });
    const headers = { Authorization: 'Bearer key' };
    const bodyOf = async (path: string, init: RequestInit): Promise<unknown> => {
      const response = await app.request(path, init);
      expect(response.headers.get('Content-Type')).toBe('application/json');
      return ((await response.json()) as { error: unknown }).error;
    };
    expect(await bodyOf('/v1/things', { method: 'POST', headers })).toEqual({
      message: 'busy',
      type: 'rate_limit_error',
      param: null,
      code: 'rate_limit_exceeded',
    });
    expect(await bodyOf('/v1/nothing', { headers })).toMatchObject({ code: 'not_found' });
    expect(await bodyOf('/v1/things', { headers })).toMatchObject({ type: 'invalid_request_error' });
    expect(await bodyOf('/v1', {})).toMatchObject({ code: 'invalid_api_key' });
    expect((await app.request('/v1x', { headers })).headers.get('Content-Type')).toMatch('text/plain');
  });
});

test('with API keys, only the health routes and listed paths are open', async () => {
  const app = httpShell(testKernel(['key']), { openPaths: ['/open'] });
  app.get('/open', (c) => c.text('open'));
  app.get('/closed', (c) => c.text('closed'));
  const statusOf = async (path: string, key?: string): Promise<number> =>
    (await app.request(path, key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }))
      .status;
  for (const path of ['/healthz', '/readyz', '/open']) expect(await statusOf(path)).toBe(200);
  for (const path of ['/closed', '/metrics', '/nothing', '/healthz/', '//healthz', '/%68ealthz%2f']) {
    expect(await statusOf(path), path).toBe(401);
  }
  expect(await statusOf('/closed', 'other')).toBe(401);
  expect(await statusOf('/closed', 'key')).toBe(200);
  expect(await statusOf('/metrics', 'key')).toBe(200);
});

test('/readyz reports the phase of the server, and /healthz always returns ok', async () => {
  const lifecycle = createLifecycle();
  const app = httpShell({ ...testKernel(), lifecycle });
  app.get('/work', admit(lifecycle), (c) => c.text('done'));
  const answer = async (path: string): Promise<[number, string]> => {
    const response = await app.request(path);
    return [response.status, await response.text()];
  };
  expect(await answer('/readyz')).toEqual([503, 'starting']);
  expect(await answer('/work')).toEqual([503, 'The server is starting. Retry in a moment.']);
  lifecycle.ready();
  expect(await answer('/readyz')).toEqual([200, 'ready']);
  expect(await answer('/work')).toEqual([200, 'done']);
  await lifecycle.drain();
  expect(await answer('/readyz')).toEqual([503, 'draining']);
  expect(await answer('/work')).toEqual([503, 'The server is shutting down.']);
  expect(await answer('/healthz')).toEqual([200, 'ok']);
});

test('shutdown waits for an admitted request', async () => {
  const kernel = testKernel();
  const app = httpShell(kernel);
  const [entered, work] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.get('/work', admit(kernel.lifecycle), async (c) => {
    entered.resolve();
    await work.promise;
    return c.text('done');
  });
  const running = app.request('/work');
  await entered.promise;
  let drained = false;
  const draining = kernel.lifecycle.drain().then(() => (drained = true));
  expect((await app.request('/work')).status).toBe(503);
  expect(drained).toBe(false);
  work.resolve();
  expect((await running).status).toBe(200);
  await draining;
});

test('requests are logged, and measured by route pattern', async () => {
  const kernel = testKernel();
  const app = httpShell(kernel);
  app.get('/thing/:id', (c) => c.text('thing'));
  for (const path of ['/thing/1', '/thing/2', '/nothing/1', '/nothing/2', '/healthz'])
    await app.request(path);
  const metrics = await (await app.request('/metrics')).text();
  expect(metrics).toContain(
    'http_request_duration_seconds_count{method="GET",route="/thing/:id",status="200"} 2',
  );
  expect(metrics).toContain('http_request_duration_seconds_count{method="GET",route="none",status="404"} 2');
  expect(metrics).not.toContain('/thing/1');

  const logged = kernel.logged.map(({ level, path, status, method }) => ({ level, path, status, method }));
  expect(logged).toContainEqual({ level: 30, path: '/thing/1', status: 200, method: 'GET' });
  expect(logged).toContainEqual({ level: 30, path: '/nothing/2', status: 404, method: 'GET' });
  expect(logged).toContainEqual({ level: 20, path: '/healthz', status: 200, method: 'GET' });
});

test('two apps can share a kernel', async () => {
  const kernel = testKernel();
  await httpShell(kernel).request('/healthz');
  await httpShell(kernel).request('/healthz');
  expect(await kernel.metrics.metrics()).toContain('route="/healthz",status="200"} 2');
});

describe('web pages from other origins', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
  };

  test('are rejected by default', async () => {
    const app = httpShell(testKernel());
    const response = await app.request('/healthz', { headers: { Origin: 'https://a.example' } });
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(null);
    expect((await app.request('/healthz', preflight)).status).toBe(405);
  });

  test('are accepted if configured, with preflights that need no key', async () => {
    const app = httpShell(testKernel(['key']), {
      corsOrigins: ['https://a.example'],
      exposedHeaders: ['X-Special'],
    });
    const allowed = await app.request('/metrics', preflight);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('Access-Control-Allow-Origin')).toBe('https://a.example');
    const other = await app.request('/metrics', { ...preflight, headers: { Origin: 'https://b.example' } });
    expect(other.headers.get('Access-Control-Allow-Origin')).toBe(null);
    const refused = await app.request('/metrics', { headers: { Origin: 'https://a.example' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('Access-Control-Allow-Origin')).toBe('https://a.example');
    expect(refused.headers.get('Access-Control-Expose-Headers')).toMatch(/X-Request-Id.*X-Special/);
  });

  test('are all accepted with *', async () => {
    const app = httpShell(testKernel(), { corsOrigins: ['*'] });
    const response = await app.request('/healthz', { headers: { Origin: 'https://b.example' } });
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  });
});
