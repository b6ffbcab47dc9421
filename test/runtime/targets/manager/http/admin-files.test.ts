import { existsSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { useDescribed } from './use-described.ts';

const ADMIN = '/api/v1/admin';
const { manager, send } = useDescribed();
const call = (tool: string, args: object = {}): Promise<unknown> =>
  manager().send('POST', `/api/v1/servers/echo/tools/${tool}`, args);

test('servers can be searched, sorted and paginated, and are listed with call statistics and process usage', async () => {
  await call('add', { a: 1, b: 2 });
  await call('is-error', {});
  const { body } = await send('GET', `${ADMIN}/servers/echo`);
  expect(body).toMatchObject({
    name: 'echo',
    kind: 'process',
    start: process.execPath,
    calls: { calls: 2, failed: 1, p50Ms: expect.any(Number), lastCalledAt: expect.stringMatching(/Z$/) },
    pinned: false,
  });
  expect(body.usage?.memoryBytes ?? Infinity).toBeGreaterThan(10_000_000);
  const names = async (query: string): Promise<string[]> =>
    (await send('GET', `${ADMIN}/servers?${query}`)).body.servers.map(({ name }: { name: string }) => name);
  expect(await names('sort=-name')).toEqual(['echo', 'careful']);
  expect(await names('sort=p95')).toEqual(['echo', 'careful']);
  expect(await names('q=CARE')).toEqual(['careful']);
  expect(await names('phase=idle')).toEqual(['careful']);
  const first = await send('GET', `${ADMIN}/servers?limit=1`);
  expect(first.body).toMatchObject({ total: 2, phases: { idle: 1, running: 1 }, nextCursor: '1' });
  expect(await names('limit=1&cursor=1')).toEqual(['echo']);
  expect((await send('GET', `${ADMIN}/servers?sort=size`)).status).toBe(422);
});

describe('permissions', () => {
  test('each key can read its own permissions', async () => {
    const of = async (key: string) => (await send('GET', '/api/v1/caller', undefined, key)).body;
    expect(await of(manager().keys.editor)).toMatchObject({ name: 'editor', admin: true, edit: true });
    expect(await of(manager().keys.admin)).toMatchObject({ name: 'admin', admin: true, edit: false });
    expect(await of(manager().keys.user)).toMatchObject({ name: 'user', admin: false, edit: false });
  });

  test.each([
    ['GET', 'servers'],
    ['GET', 'configuration'],
    ['GET', 'keys'],
    ['GET', 'pins'],
    ['GET', 'audit'],
    ['GET', 'servers/echo/logs'],
  ])('%s %s requires admin permission', async (method, path) => {
    const { status, body } = await send(method, `${ADMIN}/${path}`, undefined, manager().keys.user);
    expect([status, body.detail]).toEqual([403, expect.stringContaining('no admin permission')]);
    expect((await send(method, `${ADMIN}/${path}`, undefined, manager().keys.admin)).status).toBe(200);
  });

  test.each([
    ['POST', 'configuration/servers', { name: 'new', settings: { command: 'sh', tools: ['*'] } }],
    ['GET', 'configuration/servers/echo', undefined],
    ['PUT', 'configuration/servers/echo', { text: '[[servers]]' }],
    ['DELETE', 'configuration/servers/echo', undefined],
    ['POST', 'keys', { name: 'new' }],
    ['DELETE', 'keys/user', undefined],
    ['POST', 'servers/echo/pin', undefined],
    ['DELETE', 'servers/echo/pin', undefined],
  ])('%s %s requires edit permission', async (method, path, body) => {
    const before = [manager().read('.mcpd.toml'), manager().read('keys.jsonl')];
    const refused = await send(method, `${ADMIN}/${path}`, body, manager().keys.admin);
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('edit permission')]);
    expect((await send(method, `${ADMIN}/${path}`, body, manager().keys.user)).status).toBe(403);
    expect((await send(method, `${ADMIN}/${path}`, body, '')).status).toBe(401);
    expect([manager().read('.mcpd.toml'), manager().read('keys.jsonl')]).toEqual(before);
  });
});

test('a key can be created only once under its name, is listed without its hash, and can be revoked', async () => {
  const created = await send('POST', `${ADMIN}/keys`, {
    name: 'laptop',
    servers: ['echo'],
    groups: ['Research'],
    rate: '100 / m',
    expires: '30d',
  });
  const { key, record } = created.body;
  expect(record).toMatchObject({ state: 'active', servers: ['echo'], groups: ['research'], rate: '100/m' });
  expect((await send('POST', `${ADMIN}/keys`, { name: 'laptop' })).status).toBe(409);
  for (const wrong of [{ rate: 'fast' }, { expires: '2020-01-01' }, { expires: 'soon' }, { name: ' ' }]) {
    expect((await send('POST', `${ADMIN}/keys`, { name: 'other', ...wrong })).status).toBe(422);
  }
  const listed = await send('GET', `${ADMIN}/keys`);
  expect(listed.body.keys.map(({ name }: { name: string }) => name)).toEqual([
    'laptop',
    'user',
    'limited',
    'reader',
    'admin',
    'editor',
  ]);
  expect(listed.text).not.toMatch(new RegExp(`hash|${key}`));
  expect(manager().read('keys.jsonl')).not.toContain(key);
  await expect.poll(async () => (await manager().get('/api/v1/caller', key)).status).toBe(200);
  const revoked = await send('DELETE', `${ADMIN}/keys/${record.id}`);
  expect(revoked.body).toMatchObject({ name: 'laptop', state: 'revoked' });
  await expect.poll(async () => (await manager().get('/api/v1/caller', key)).status).toBe(401);
  expect((await send('DELETE', `${ADMIN}/keys/${record.id}`)).status).toBe(404);
});

test('tools can be compared with their pins, pinned and unpinned, and rules are listed', async () => {
  const compared = await send('POST', `${ADMIN}/servers/echo/pin?dry_run=true`);
  expect(compared.body.written).toBe(false);
  expect(compared.body.differences).toContainEqual({
    kind: 'tool',
    name: 'add',
    change: 'new',
    members: expect.arrayContaining(['description']),
    lines: expect.arrayContaining(['    + Adds two numbers.']),
  });
  expect(existsSync(manager().path('.mcpd.pins.json'))).toBe(false);
  expect((await send('POST', `${ADMIN}/servers/echo/pin`)).body.written).toBe(true);
  const { body } = await send('GET', `${ADMIN}/pins`);
  expect(body.servers).toMatchObject([
    { server: 'careful', pinned: 0, approvals: [{ tools: ['add'], action: 'ask' }] },
    { server: 'echo', pinned: compared.body.tools, onChange: 'block' },
  ]);
  expect((await send('GET', `${ADMIN}/pins?changed=true`)).body.total).toBe(0);
  expect((await send('DELETE', `${ADMIN}/servers/echo/pin`)).body).toMatchObject({ removed: true });
  expect((await send('DELETE', `${ADMIN}/servers/echo/pin`)).body).toMatchObject({ removed: false });
  expect((await send('POST', `${ADMIN}/servers/nothing/pin`)).status).toBe(404);
});

test('the audit log is read from the end, with filters', async () => {
  for (const text of ['first', 'second']) await call('echo', { message: text });
  const entries = async (query: string) => {
    const { body } = await send('GET', `${ADMIN}/audit?${query}`);
    return body;
  };
  await expect.poll(async () => (await entries('kind=tool')).entries.length).toBeGreaterThanOrEqual(4);
  const page = await entries('limit=1&server=echo');
  expect(page).toMatchObject({ enabled: true, entries: [{ name: 'echo', caller: 'editor', outcome: 'ok' }] });
  expect((await entries(`limit=1&server=echo&cursor=${page.nextCursor}`)).entries[0].name).toBe('echo');
  const failed = (await entries('outcome=failed&q=is-error')).entries;
  expect(failed).toMatchObject([{ name: 'is-error', outcome: 'tool-error' }]);
  expect((await entries('caller=nothing')).entries).toEqual([]);
  expect((await entries('from=2999-01-01')).entries).toEqual([]);
  expect((await send('GET', `${ADMIN}/audit?from=yesterday`)).status).toBe(422);
});

test("every client gets a configuration snippet with the request's address and without a key", async () => {
  const { body, text } = await send(
    'GET',
    '/api/v1/clients?servers=echo&group=research',
    undefined,
    manager().keys.user,
  );
  expect(body.url).toBe(`${manager().url}/groups/research/mcp?servers=echo`);
  expect(body.clients.length).toBeGreaterThan(8);
  const of = (name: string) => body.clients.find(({ client }: { client: string }) => client === name);
  expect(JSON.parse(of('cursor').text)).toEqual({
    mcpServers: { 'mcp-manager': { url: body.url, headers: { Authorization: 'Bearer <API key>' } } },
  });
  expect(JSON.parse(of('claude-desktop').text).mcpServers['mcp-manager']).toMatchObject({
    command: 'mcp-manager',
    args: ['stdio', '--url', manager().url, '--servers', 'echo'],
  });
  expect(parse(of('codex').text)).toMatchObject({ mcp_servers: { 'mcp-manager': { url: body.url } } });
  expect(text).not.toContain('mcpm_');
  expect((await send('GET', '/api/v1/clients?group=nothing')).status).toBe(404);
  expect((await send('GET', '/api/v1/groups')).body.groups).toMatchObject([
    { name: 'research', servers: ['echo'] },
  ]);
});

test("at /, browsers get the manager's page, and other clients get 404", async () => {
  const html = await fetch(manager().url, { headers: { Accept: 'text/html,*/*' } });
  expect([html.status, html.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect((await manager().get('/')).status).toBe(404);
  expect((await manager().get('/', '')).status).toBe(401);
});

test('a log can be followed as server-sent events', async () => {
  const leaving = new AbortController();
  const response = await fetch(`${manager().url}${ADMIN}/servers/echo/logs?follow=true&lines=1`, {
    headers: { Authorization: `Bearer ${manager().keys.admin}`, Accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  expect(response.headers.get('Content-Type')).toBe('text/event-stream');
  const { value } = (await response.body?.getReader().read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toMatch(
    /^data: \{"at":"[^"]+","source":"\w+","text":".+"\}\n\n$/,
  );
  leaving.abort();
});
