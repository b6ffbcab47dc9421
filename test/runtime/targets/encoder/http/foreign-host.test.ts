import { afterAll, expect, test } from 'vitest';
import type { HostRules } from '#serve/http/request-head.ts';
import type { TlsFiles } from '#serve/tls.ts';
import { listenHttp } from '#serve/http/listen.ts';
import { mcpRoutes } from '#encoder/mcp/routes.ts';
import { runtimeFacts } from '#encoder/servers/runtime-facts.ts';
import { modelHostRules } from '#encoder/servers/settings.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { FOREIGN_PAGES, statusesOf, withoutStatus, withStatus } from '#test/helpers/hostile-hosts.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { ask } from '#test/contract/http-client.ts';
import { appAround, type OpenApp } from './open-app.ts';

const engine = await openServingEngine(builtAssets('embedder'), {
  limits: { ...DEFAULT_LIMITS },
  workers: 1,
  threads: 1,
});
afterAll(() => engine.close());

/** The app as in `serve`, including MCP, with these settings. */
function appWith(
  settings: {
    hostname?: string;
    apiKeys?: readonly string[];
    allowedHosts?: readonly string[];
    tls?: TlsFiles;
  } = {},
): OpenApp {
  const { hostname = '0.0.0.0', apiKeys = [], allowedHosts, tls } = settings;
  const hostRules: HostRules = modelHostRules({ apiKeys, allowedHosts, corsOrigins: [], tls }, { hostname });
  const context = { kernel: testKernel(), engine, runtime: runtimeFacts('') };
  const { routes: mcp } = mcpRoutes(context, { ...hostRules, maxBodyBytes: 1000 });
  return appAround(engine, { hostRules, apiKeys, mcp });
}

test.each(FOREIGN_PAGES)('without a key, every route rejects %j', async (headers) => {
  for (const hostname of ['0.0.0.0', '[::]', '127.0.0.1', '10.0.0.5']) {
    const statuses = await statusesOf(appWith({ hostname }).app, headers);
    expect(statuses.length).toBeGreaterThan(25);
    expect(withoutStatus(statuses, 403)).toEqual([]);
  }
});

test('hosts that are safe from DNS rebinding are accepted on every route', async () => {
  const open = appWith({ hostname: 'models.internal', allowedHosts: ['encoder'] });
  for (const host of [
    'localhost:8080',
    '127.0.0.1',
    '10.0.0.5:8080',
    '[fe80::1]:80',
    'encoder:8080',
    'MODELS.internal',
  ])
    expect([host, withStatus(await statusesOf(open.app, { host }), 403)]).toEqual([host, []]);
  expect(withStatus(await statusesOf(open.app, { host: 'encoder', origin: 'https://encoder' }), 403)).toEqual(
    [],
  );
});

test('with a key or TLS, any host is accepted, because rebound pages lack both; an allowlist still applies', async () => {
  const apiKeys = ['key'];
  const keyed = appWith({ apiKeys });
  expect(withStatus(await statusesOf(keyed.app, { host: 'encoder.default.svc:8080' }), 403)).toEqual([]);
  expect(
    withStatus(
      await statusesOf(keyed.app, { host: 'models.example', origin: 'https://models.example' }),
      403,
    ),
  ).toEqual([]);
  expect(
    withoutStatus(await statusesOf(keyed.app, { host: 'encoder', origin: 'https://evil.example' }), 403),
  ).toEqual([]);
  const tls = { cert: '', key: '' };
  expect(withStatus(await statusesOf(appWith({ tls }).app, { host: 'models.example' }), 403)).toEqual([]);
  const listed = appWith({ apiKeys, allowedHosts: ['encoder'] });
  expect(withoutStatus(await statusesOf(listed.app, { host: 'evil.example' }), 403)).toEqual([]);
});

test('the error is one plain sentence with a fix, even on direct routes', async () => {
  const { app, direct } = appWith();
  const http = await listenHttp({ app, direct, hostname: '127.0.0.1', port: 0, portFlag: '--http-port' });
  try {
    const url = `http://127.0.0.1:${http.port}/predict`;
    const call = { method: 'POST', body: '{"inputs":["a"],"normalize":false}' };
    const type = { 'content-type': 'application/json' };
    expect((await ask(url, { ...call, headers: type })).status).toBe(200);
    const answer = await ask(url, { ...call, headers: { ...type, host: 'evil.example' } });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      403,
      'text/plain; charset=utf-8',
      'Host "evil.example" is not allowed. Use an IP address or localhost, or allow the name with --allowed-hosts.',
    ]);
    expect((await ask(url, { ...call, headers: { ...type, origin: 'http://evil.example' } })).text).toBe(
      'Origin "http://evil.example" is not allowed. Allow it with --cors-origins.',
    );
  } finally {
    await http.close(0);
  }
});
