import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { ECHO, serversToml } from './config.ts';
import { shareManagers } from './shared-managers.ts';
import { verifiesManaged } from './verifies.ts';

const start = shareManagers();
const BROKEN = serversToml(
  { name: 'Echo', run: ['echo.mjs'] },
  { name: 'broken', run: ['exits-at-start.mjs'] },
);

verifiesManaged('manager:servers', async (arm) => {
  const { get } = await start(arm, { config: BROKEN });
  const { text, headers } = await get('/api/v1/servers');
  expect([text, headers.get('content-type'), headers.get('link')]).toEqual([
    '["broken","echo"]',
    'application/json',
    null,
  ]);
  expect((await get('/api/v1/servers/')).body).toEqual(['broken', 'echo']);
});

verifiesManaged('manager:names', async (arm) => {
  const { get } = await start(arm, { config: BROKEN });
  for (const name of ['echo', 'ECHO', '%20eChO%20']) {
    expect((await get(`/api/v1/servers/${name}/tools`)).status).toBe(200);
    expect((await get(`/api/v1/health/servers/${name}`)).body.name).toBe('echo');
  }
});

verifiesManaged('manager:health', async (arm) => {
  const { get } = await start(arm, { config: BROKEN });
  const health = async () => (await get('/api/v1/health/servers')).body.servers;
  const known = async () => (await health()).every(({ status }: { status: string }) => status !== 'unknown');
  await expect.poll(known).toBe(true);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
  expect(await health()).toEqual([
    { name: 'broken', status: 'unreachable', lastChecked: time },
    {
      name: 'echo',
      status: 'ok',
      lastChecked: time,
      lastSuccessful: time,
      latency: expect.stringMatching(/^[\d.]+(?:ns|µs|ms|s)$/),
    },
  ]);
});

verifiesManaged('manager:health:unknown', async (arm) => {
  const { get } = await start(arm, { config: BROKEN });
  expect(await get('/api/v1/health/servers/nobody')).toMatchObject({
    status: 404,
    body: { title: 'Not Found', detail: 'server health is not being tracked: nobody' },
  });
});

verifiesManaged('manager:down', async (arm) => {
  const { post } = await start(arm, { config: BROKEN });
  const { status, headers, body } = await post('/api/v1/servers/broken/tools/anything', {});
  expect(status).toBe(503);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(body.detail).toContain('broken');
});

verifiesManaged('manager:schemas', async (arm) => {
  const { get, url } = await start(arm, { config: ECHO });
  const types: Record<string, string> = {
    '/api/v1/health/servers': 'ServersHealthResponseBody',
    '/api/v1/health/servers/echo': 'ServerHealth',
    '/api/v1/servers/echo/tools': 'ToolsResponseBodyTool',
    '/api/v1/servers/echo/prompts': 'Prompts',
    '/api/v1/servers/echo/resources': 'Resources',
    '/api/v1/servers/echo/resources/templates': 'ResourceTemplates',
    '/api/v1/servers/nobody/tools': 'ErrorModel',
  };
  for (const [path, type] of Object.entries(types)) {
    const { body, headers } = await get(path);
    expect(Object.entries(body)[0]).toEqual(['$schema', `${url}/schemas/${type}.json`]);
    expect(headers.get('link')).toBe(`</schemas/${type}.json>; rel="describedBy"`);
    const schema = await get(`/schemas/${type}.json`);
    expect(schema.status).toBe(200);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema.body);
    expect(validate(body) || validate.errors).toBe(true);
  }
  expect((await get('/schemas/Nothing.json')).status).toBe(404);
});

verifiesManaged('manager:problems', async (arm) => {
  const { get, post } = await start(arm, { config: ECHO });
  const answers = [
    [404, await get('/nothing')],
    [404, await get('/api/v1/servers/echo/nothing')],
    [405, await post('/api/v1/servers', {})],
    [405, await get('/api/v1/servers/echo/tools/echo')],
    [404, await get('/api/v1/servers/%F0%9F%92%A9/tools')],
  ] as const;
  for (const [status, answer] of answers) {
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
    expect(answer.status).toBe(status);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET|POST/);
  }
});

verifiesManaged('manager:openapi', async (arm) => {
  const { get } = await start(arm, { config: ECHO });
  const { body: document } = await get('/openapi.json');
  expect(document.openapi).toBe('3.1.0');
  const ids = Object.values<Record<string, { operationId?: string }>>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(ids).toEqual(
    expect.arrayContaining([
      'listServersHealth',
      'getServerHealth',
      'listServers',
      'listTools',
      'callTool',
      'listPrompts',
      'generatePrompt',
      'listResources',
      'listResourceTemplates',
      'getResourceContent',
    ]),
  );
  const yaml = await get('/openapi.yaml');
  expect(yaml.headers.get('content-type')).toBe('application/openapi+yaml');
  expect(parse(yaml.text)).toEqual(document);
  const page = await get('/docs');
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<html') });
  expect(page.text).not.toMatch(/(?:src|href)="https?:/);
  const assets = [...page.text.matchAll(/(?:src|href)="(assets[^"#:]+)"/g)].map(([, path = '']) => path);
  expect(assets.length).toBeGreaterThan(1);
  for (const path of assets) expect((await get(`/${path.replace(/^\//, '')}`)).status).toBe(200);
});

verifiesManaged('manager:pages', async (arm) => {
  const { get, post, folder } = await start(arm, { config: ECHO });
  const page = await get('/', { accept: 'text/html' });
  const assets = [...page.text.matchAll(/(?:src|href)="(assets[^"]+)"/g)].map(([, path = '']) => path);
  expect(assets.length).toBeGreaterThan(5);
  const seen = new Set<string>();
  let code = '';
  for (const path of assets) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { status, text } = await get(`/${path}`);
    expect([path, status]).toEqual([path, 200]);
    if (!path.endsWith('.js')) continue;
    code += text;
    const imports = [...text.matchAll(/\bfrom\s*["'](\.[^"']+)["']/g)];
    for (const [, to = ''] of imports) assets.push(new URL(to, `http://x/${path}`).pathname.slice(1));
  }
  // One module in an executable, and all of them from source.
  for (const name of ['Connect a client', 'Pins and approvals', 'Review change', 'Call tool'])
    expect(code).toContain(name);
  expect((await get('/')).status).toBe(404);
  const refused = await post('/api/v1/admin/configuration/servers', {
    name: 'more',
    settings: { command: 'sh', tools: ['*'] },
  });
  expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('edit permission')]);
  expect(readFileSync(join(folder, '.mcpd.toml'), 'utf8')).not.toContain('more');
});

verifiesManaged('manager:operations', async (arm) => {
  const { get, post } = await start(arm, { config: ECHO });
  expect(await get('/healthz')).toMatchObject({ status: 200 });
  expect(await get('/readyz')).toMatchObject({ status: 200 });
  await post('/api/v1/servers/echo/tools/echo', { message: 'counted' }, { 'x-request-id': 'mine-1' });
  const { text, headers } = await get('/metrics');
  expect(text).toMatch(/^http_request_duration_seconds_count\{.*\} [1-9]/m);
  expect(text).toMatch(/^mcp_calls_total\{.*server="echo".*\} [1-9]/m);
  expect(headers.get('x-request-id')).toMatch(/./);
  const named = await get('/api/v1/servers', { 'x-request-id': 'mine-2' });
  expect(named.headers.get('x-request-id')).toBe('mine-2');
});

verifiesManaged('manager:foreign-page', async (arm) => {
  const { get, post } = await start(arm, { config: ECHO });
  const foreign = { origin: 'https://evil.example' };
  expect((await post('/api/v1/servers/echo/tools/echo', { message: 'x' }, foreign)).status).toBe(403);
  expect((await get('/api/v1/servers', foreign)).status).toBe(403);
  expect((await post('/mcp', {}, foreign)).status).toBe(403);
});

verifiesManaged('manager:search', async (arm) => {
  const { get } = await start(arm, { config: ECHO });
  const first = async (list: string, words: string): Promise<unknown> =>
    (await get(`/api/v1/${list}?q=${encodeURIComponent(words)}`)).body[list][0];
  expect(await first('tools', 'adds numbers')).toMatchObject({ server: 'echo', name: 'add' });
  expect(await first('prompts', 'greets')).toMatchObject({ server: 'echo', name: 'greet' });
  expect(await first('resources', 'memo empty')).toMatchObject({ server: 'echo', uri: 'memo://empty' });
  expect((await get('/api/v1/resources')).status).toBe(422);
});

verifiesManaged('manager:prompts', async (arm) => {
  const config = serversToml({ name: 'echo', run: ['echo.mjs'], env: { PAGE_SIZE: '2' } });
  const { get, post } = await start(arm, { config });
  const path = '/api/v1/servers/echo/prompts';
  const first = await get(path);
  expect(first.body.prompts.map(({ name }: { name: string }) => name)).toEqual(['greet', 'plain', 'Picture']);
  expect(first.body).not.toHaveProperty('nextCursor');
  expect(first.body.prompts[0]).toEqual({
    name: 'greet',
    description: 'Greets someone.',
    arguments: [{ name: 'name', required: true }],
  });

  const made = await post(`${path}/greet`, { arguments: { name: 'Ada' } });
  expect(made).toMatchObject({
    status: 200,
    body: {
      description: 'About greet.',
      messages: [{ role: 'user', content: { type: 'text', text: 'greet {"name":"Ada"}' } }],
    },
  });
  expect((await post(`${path}/nothing`, {})).status).toBe(404);
});

verifiesManaged('manager:resources', async (arm) => {
  const config = serversToml({ name: 'echo', run: ['echo.mjs'], env: { PAGE_SIZE: '2' } });
  const { get } = await start(arm, { config });
  const path = '/api/v1/servers/echo/resources';
  const first = await get(path);
  expect(first.body.resources).toHaveLength(3);
  expect(first.body.resources[2]).toEqual({ uri: 'memo://empty', name: 'empty', mimeType: 'text/plain' });
  expect((await get(`${path}/templates`)).body.templates[0]).toEqual({
    uriTemplate: 'memo://{name}',
    name: 'memo',
    description: 'A memo by its name.',
    mimeType: 'text/plain',
  });
  const read = async (uri: string): Promise<unknown> =>
    (await get(`${path}/content?uri=${encodeURIComponent(uri)}`)).body;
  expect(await read('memo://one')).toEqual([
    { uri: 'memo://one', mimeType: 'text/plain', text: 'The first memo.' },
  ]);
  expect(await read('memo://blob')).toEqual([
    { uri: 'memo://blob', mimeType: 'application/octet-stream', blob: 'AAEC' },
  ]);
  expect(await read('memo://empty')).toEqual([{ uri: 'memo://empty', mimeType: 'text/plain', text: '' }]);
  expect((await get(`${path}/content?uri=memo%3A%2F%2Fnothing`)).status).toBe(404);
  expect((await get(`${path}/content`)).status).toBe(422);
});

verifiesManaged('manager:not-implemented', async (arm) => {
  const config = serversToml({ name: 'tools', run: ['echo.mjs'], env: { ONLY_TOOLS: '1' } });
  const { get } = await start(arm, { config });
  for (const list of ['prompts', 'resources', 'resources/templates']) {
    const { status, body } = await get(`/api/v1/servers/tools/${list}`);
    expect(status).toBe(501);
    // Published clients look for these words.
    expect(`${body.title}: ${body.detail}`).toMatch(/Not Implemented.*501/);
    expect(body.detail).toContain('not implemented by server: tools');
  }
});
