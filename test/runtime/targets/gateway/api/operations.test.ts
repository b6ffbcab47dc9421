import SwaggerParser from '@apidevtools/swagger-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { AppError, configError } from '#contract/errors.ts';
import { pageFilesOf } from '#test/helpers/page-files-of.ts';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const gateway = useGateway();
const open = useOwnGateways();

describe('health', () => {
  test('without a database, the gateway is alive but not ready', async () => {
    const { request, context } = await open();
    await context.state.close();
    expect(await request('/readyz')).toMatchObject({
      status: 503,
      body: { error: { code: 'database_unavailable' } },
    });
    expect((await request('/health')).status).toBe(200);
    expect((await request('/health/liveness')).status).toBe(200);
    const { status, headers, body } = await request('/health/readiness');
    expect([status, headers.get('Retry-After'), body]).toEqual([
      503,
      '1',
      { detail: { status: 'unhealthy', database: 'unavailable', version: '1.2.3' } },
    ]);
  });

  test('a gateway that is shutting down is not ready', async () => {
    const { request, kernel } = await open();
    expect((await request('/readyz')).text).toBe('ready');
    void kernel.lifecycle.drain();
    expect((await request('/health/readiness')).body).toEqual({
      detail: { status: 'unhealthy', database: 'connected', version: '1.2.3' },
    });
    const { status, body } = await request('/readyz');
    expect([status, body.detail]).toEqual([503, 'draining']);
    expect((await request('/healthz')).text).toBe('ok');
  });
});

describe('metrics', () => {
  test('metrics contain path patterns instead of paths', async () => {
    const { request, ask } = gateway();
    await ask('GET', '/v1/users/somebody-nobody-knows');
    await ask('GET', '/v1/pricing/a:very/long/name');
    await ask('GET', '/v1/models/a:very/long/name');
    await ask('GET', '/v1/keys/me');
    const { status, text } = await request('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('gateway_auth_failures_total');
    expect(text).toMatch(/http_request_duration_seconds_count\{.*route="\/v1\/users\/:id".*\} 1/);
    expect(text).toMatch(/route="\/v1\/models\/:id"/);
    expect(text).toMatch(/route="\/v1\/keys\/me"/);
    expect(text).not.toMatch(/somebody|very/);
  });

  test('metrics require a valid key if configured', async () => {
    const { request, ask } = await open({ metrics: 'key' });
    expect((await request('/metrics')).status).toBe(401);
    const { body } = await ask('POST', '/v1/keys', { key_name: 'prometheus' });
    const headers = { Authorization: `Bearer ${String(body.key)}` };
    expect((await request('/metrics', { headers })).status).toBe(200);
    const { paths } = (await request('/openapi.json')).body;
    expect(paths['/metrics'].get.security).not.toEqual([]);
    expect(paths['/readyz'].get.security).toEqual([]);
  });

  test('metrics return 404 if disabled', async () => {
    const { request } = await open({ metrics: 'off' });
    const { status, body } = await request('/metrics');
    expect([status, body.detail]).toEqual([404, 'No such path: GET /metrics']);
    const { paths } = (await request('/openapi.json')).body;
    expect(Object.keys(paths)).toContain('/readyz');
    expect(Object.keys(paths)).not.toContain('/metrics');
  });
});

describe('POST /v1/admin/reload', () => {
  test('reloads the configuration', async () => {
    let reloads = 0;
    const { ask } = await open({
      reload: async () => {
        reloads += 1;
      },
    });
    expect(await ask('POST', '/v1/admin/reload')).toMatchObject({
      status: 200,
      body: { status: 'reloaded' },
    });
    expect(reloads).toBe(1);
  });

  test('reports configuration problems', async () => {
    const failures = [
      configError('gateway.yml: providers.x is wrong'),
      new AppError('UnavailableError', 'not now'),
      new TypeError('a fault of ours'),
    ];
    const { ask } = await open({ reload: () => Promise.reject(failures.shift()) });
    const expected = [
      [422, 'gateway.yml: providers.x is wrong'],
      [503, 'not now'],
      [500, 'a fault of ours'],
    ];
    for (const [status, detail] of expected) {
      expect(await ask('POST', '/v1/admin/reload')).toMatchObject({ status, body: { detail } });
    }
  });
});

interface Part {
  readonly content?: Record<string, { schema: object; examples: Record<string, { value: unknown }> }>;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: Part;
  readonly responses: Record<string, Part>;
  readonly security?: unknown;
}
const operationsOf = (document: {
  paths: Record<string, Record<string, Operation>>;
}): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

describe('the OpenAPI document', () => {
  test('the document and its examples are valid OpenAPI 3.1', async () => {
    const { headers, body } = await gateway().request('/openapi.json');
    expect(headers.get('Content-Type')).toBe('application/openapi+json');
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'gateway', version: '1.2.3' } });
    await SwaggerParser.validate(structuredClone(body), { dereference: { circular: false } });
    expect(JSON.stringify(body)).not.toMatch(/"nullable"|"\$id"|"x-[a-z-]+":/);
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(body, 'api');
    let tried = 0;
    for (const [name, { requestBody, responses }] of operationsOf(body)) {
      for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
        for (const { schema, examples } of Object.values(content)) {
          const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
          for (const { value } of Object.values(examples)) {
            expect([name, value, validate(value) || validate.errors]).toEqual([name, value, true]);
            tried += 1;
          }
        }
      }
    }
    expect(tried).toBeGreaterThan(150);
  });

  test('every operation has a unique ID, and operations that require no credentials are marked', async () => {
    const { body } = await gateway().request('/openapi.json');
    const operations = operationsOf(body);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations.flatMap(([name, { security }]) => (security ? [name] : []))).toEqual([
      'GET /api/v1/artifacts/{file}',
      'GET /api/v1/health/',
      'GET /health',
      'GET /health/liveness',
      'GET /health/readiness',
      'GET /.well-known/jwks.json',
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
      'GET /',
      'GET /openapi.json',
    ]);
    expect(body.security).toEqual([{ gatewayKey: [] }, { bearer: [] }, { anthropicKey: [] }]);
  });

  test('the documentation page loads nothing external and requires no credentials', async () => {
    const { status, headers, text } = await gateway().request('/docs');
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const linked = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, path = '']) => path);
    expect(linked.length).toBeGreaterThan(4);
    const files = pageFilesOf('serve/http/docs-page')
      .names()
      .filter((file) => file !== 'docs.html')
      .map((file) => `assets/${file}`);
    for (const path of [...linked, ...files]) {
      expect(path).not.toMatch(/^\/|:/);
      const answer = await gateway().request(`/${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('X-Frame-Options')).toBe('DENY');
    }
    expect((await gateway().request('/docs/')).headers.get('Location')).toBe('../docs');
  });
});
