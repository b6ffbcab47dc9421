import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';
import { openSession, post } from './raw.ts';

const key = (name: string, more: Partial<KeyRecord> = {}): KeyRecord => ({
  id: createHash('md5').update(name).digest('hex').slice(0, 8),
  name,
  hash: createHash('sha256').update(`key-of-${name}`).digest('hex'),
  servers: [],
  tools: [],
  readOnly: false,
  admin: false,
  created: '2026-01-01T00:00:00Z',
  ...more,
});
const as = (name: string) => ({ authorization: `Bearer key-of-${name}` });

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [serverSpec('echo', 'echo'), serverSpec('other', 'echo')],
    keys: [
      key('full'),
      key('narrow', { tools: ['echo/add'] }),
      key('reader', { tools: ['echo/add'], prompts: ['echo/greet'], resources: ['echo/memo://one'] }),
      key('outside', { servers: ['nothing'] }),
    ],
  });
  await Promise.all([managed.running('echo'), managed.running('other')]);
});
afterAll(() => managed.close());

const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

test('a request without a key is rejected', async () => {
  const answer = await post(managed.origin, '/mcp', { body: PING });
  expect(answer.status).toBe(401);
});

describe('a key', () => {
  test('a key can see only the servers and tools that it is allowed to use', async () => {
    const client = await managed.connect('/mcp', as('narrow'));
    expect(client.getInstructions()).toContain('Available servers: echo.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo__add']);
    const { content } = await client.callTool({ name: 'echo__add', arguments: { a: 1, b: 2 } });
    expect(content).toEqual([{ type: 'text', text: '3' }]);
    await expect(client.callTool({ name: 'echo__echo', arguments: {} })).rejects.toThrow('not allowed');
    await expect(client.callTool({ name: 'other__add', arguments: {} })).rejects.toThrow('Unknown tool');
  });

  test.each([
    ['/mcp', 'echo__'],
    ['/mcp/echo', ''],
  ])('a key that is limited to tools cannot read prompts or resources: %s', async (path, prefix) => {
    const client = await managed.connect(path, as('narrow'));
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    const ref = { type: 'ref/prompt', name: `${prefix}greet` } as const;
    const argument = { name: 'name', value: 'a' };
    const uri = prefix === '' ? 'memo://one' : 'mcp:echo:memo://one';
    const refused = [
      client.getPrompt({ name: `${prefix}greet`, arguments: {} }),
      client.complete({ ref, argument }),
      client.readResource({ uri }),
      client.subscribeResource({ uri }),
    ];
    for (const request of refused) await expect(request).rejects.toThrow(/(?:prompt|resource) not allowed/);
  });

  test('a key can read the prompts and resources that it grants access to', async () => {
    const client = await managed.connect('/mcp', as('reader'));
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['echo__greet']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['memo://one']);
    expect((await client.readResource({ uri: 'memo://one' })).contents).toHaveLength(1);
    await expect(client.readResource({ uri: 'mcp:echo:memo://empty' })).rejects.toThrow('not allowed');
  });

  test('a key has the same limits over HTTP', async () => {
    const get = async (path: string, name: string) => {
      const response = await fetch(`${managed.origin}/api/v1/servers/echo${path}`, { headers: as(name) });
      return [response.status, await response.text()] as const;
    };
    const content = '/resources/content?uri=memo://one';
    expect((await get(content, 'full'))[0]).toBe(200);
    expect((await get(content, 'reader'))[0]).toBe(200);
    expect(await get(content, 'narrow')).toEqual([403, expect.stringContaining('resource not allowed')]);
    for (const list of ['/prompts', '/resources', '/resources/templates']) {
      const [status, body] = await get(list, 'narrow');
      expect(status).toBe(200);
      expect(body).not.toMatch(/greet|memo/);
    }
  });

  test('a key gets the same error for a forbidden server as for an unknown server', async () => {
    const headers = as('narrow');
    const hidden = await post(managed.origin, '/mcp/other', { body: PING, headers });
    const missing = await post(managed.origin, '/mcp/nobody', { body: PING, headers });
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect(await hidden.json()).toMatchObject({ detail: 'server not found: other' });
  });

  test('a key that is not allowed to use any server gets an empty list', async () => {
    const client = await managed.connect('/mcp', as('outside'));
    expect((await client.listTools()).tools).toEqual([]);
  });
});

describe('a session', () => {
  test('a session belongs to the key that opened it', async () => {
    const session = await openSession(managed.origin, '/mcp', as('full'));
    const own = await post(managed.origin, '/mcp', { body: PING, headers: session });
    const foreign = await post(managed.origin, '/mcp', {
      body: PING,
      headers: { ...session, ...as('narrow') },
    });
    await own.text();
    expect([own.status, foreign.status]).toEqual([200, 404]);
  });

  test('a session belongs to the path on which it was opened', async () => {
    const session = await openSession(managed.origin, '/mcp/echo', as('full'));
    const elsewhere = await post(managed.origin, '/mcp/other', { body: PING, headers: session });
    expect(elsewhere.status).toBe(404);
  });
});

test('a web page from another origin is rejected', async () => {
  const headers = { ...as('full'), origin: 'https://evil.example' };
  const answer = await post(managed.origin, '/mcp', { body: PING, headers });
  expect(answer.status).toBe(403);
});
