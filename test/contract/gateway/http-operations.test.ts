import SwaggerParser from '@apidevtools/swagger-parser';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { writeConfig } from './arms.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, asKey } from './config.ts';
import { shareGateways, useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const startOwn = useGateways();
const PLAIN = { config: {} };

verifiesGateway('gateway:health', async (arm) => {
  const { get } = await start(arm, PLAIN);
  const health = await get('/health');
  expect([health.headers.get('content-type'), health.text]).toEqual([
    'application/json',
    '{"status":"healthy"}',
  ]);
  expect((await get('/health/liveness')).text).toBe('"I\'m alive!"');
  expect(await get('/health/readiness')).toMatchObject({
    status: 200,
    body: { status: 'healthy', database: 'connected', version: expect.stringMatching(/./) },
  });
  expect((await get('/healthz')).text).toBe('ok');
  expect((await get('/readyz')).text).toBe('ready');
});

verifiesGateway('gateway:metrics', async (arm) => {
  const api = await start(arm, PLAIN);
  await api.get('/v1/users/somebody', AS_MASTER);
  await api.get('/v1/users');
  const { status, text } = await api.get('/metrics');
  expect(status).toBe(200);
  expect(text).toMatch(/http_request_duration_seconds_count\{[^}]*route="\/v1\/users\/:id"/);
  expect(text).toContain('gateway_auth_failures_total{reason="missing_credentials"}');
  expect(text).not.toContain('somebody');
  const silent = await startOwn(arm, { config: { enable_metrics: false } });
  expect((await silent.get('/metrics')).status).toBe(404);
});

verifiesGateway('gateway:openapi', async (arm) => {
  const { get } = await start(arm, PLAIN);
  const { body } = await get('/openapi.json');
  expect(body.openapi).toBe('3.1.0');
  await SwaggerParser.validate(structuredClone(body), { dereference: { circular: false } });
  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining([
      '/v1/chat/completions',
      '/v1/users/{user_id}',
      '/v1/keys/{id}/rotate',
      '/v1/usage',
    ]),
  );
  const yaml = await get('/openapi.yaml');
  expect(yaml.headers.get('content-type')).toBe('application/openapi+yaml');
  expect(parse(yaml.text)).toEqual(body);
  const { text } = await get('/docs');
  for (const [, path = ''] of text.matchAll(/(?:src|href)="([^"#]+)"/g)) {
    expect(path).not.toMatch(/^\/|:/);
    expect((await get(`/${path}`)).status).toBe(200);
  }
  expect((await get('/')).body).toEqual({
    name: 'gateway',
    version: body.info.version,
    documentation: '/docs',
    openapi: '/openapi.json',
    health: '/health',
  });
});

verifiesGateway('gateway:reload', async (arm) => {
  const provider = { api_base: 'http://127.0.0.1:1/v1', api_key: 'x', models: ['one'] };
  const api = await startOwn(arm, {
    config: { providers: { local: { provider_type: 'openai', ...provider } } },
  });
  const key = asKey(await createKey(api));
  const aliases = async (): Promise<string[]> =>
    (await api.get('/v1/models', key)).body.data.map(({ id }: { id: string }) => id);
  expect(await aliases()).toEqual(['local:one']);
  const providers = { local: { provider_type: 'openai', ...provider } };
  writeConfig(api.folder, { providers, aliases: { fast: 'local:one' } });
  expect(await api.post('/v1/admin/reload', '', AS_MASTER)).toMatchObject({
    status: 200,
    body: { status: 'reloaded' },
  });
  expect(await aliases()).toEqual(['fast', 'local:one']);
  writeConfig(api.folder, { providers, alias: {} });
  const refused = await api.post('/v1/admin/reload', '', AS_MASTER);
  expect([refused.status, refused.body.detail]).toEqual([422, expect.stringMatching(/alias/)]);
  expect(await aliases()).toEqual(['fast', 'local:one']);
});
