import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { startProtectedServer } from '../sign-in/protected-server.ts';
import { remoteLaunch } from '../upstream/remote-fixture.ts';
import { specOf } from '../upstream/spec.ts';
import { type Managed, type ManagedOptions, openManager } from './managed.ts';
import { sendStateless } from './stateless-request.ts';

const folder = useTempFolder();
const KEY = { Authorization: bearer('all') };

interface Sleeping extends Managed {
  readonly starts: readonly string[];
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>;
}

async function open(options: ManagedOptions): Promise<Sleeping> {
  const managed = await openManager({ savedLists: join(folder(), 'saved-lists'), ...options });
  onTestFinished(() => managed.close());
  const starts: string[] = [];
  managed.context.supervisor.subscribe((event) => {
    if (event.kind === 'session-opened') starts.push(event.server);
  });
  const get = (path: string, headers: Record<string, string> = KEY) =>
    fetch(managed.origin + path, { headers });
  return { ...managed, starts, get };
}

const OPTIONS = {
  servers: [serverSpec('echo', 'echo', { lazy: true }), serverSpec('changing', 'changing', { lazy: true })],
  groups: [{ name: 'maths', servers: [], tools: ['echo/add'], prompts: [], resources: [] }],
  keys: [keyOf('all'), keyOf('limited', { servers: ['changing'] })],
};

/** Starts each server once, so that its lists are known. */
async function openKnown(options: Partial<ManagedOptions> = {}): Promise<Sleeping> {
  const first = await openManager({ savedLists: join(folder(), 'saved-lists'), ...OPTIONS });
  const client = await first.connect('/mcp', KEY);
  await client.listTools();
  await first.close();
  return await open({ ...OPTIONS, ...options });
}

test('no list, on any way to a client, starts a server, and a call starts its server alone', async () => {
  const managed = await openKnown();
  const client = await managed.connect('/mcp', KEY);
  await client.setLoggingLevel('debug');
  const names = async (path: string): Promise<string[]> => {
    const one = await managed.connect(path, KEY);
    return (await one.listTools()).tools.map(({ name }) => name);
  };
  expect(await names('/mcp')).toEqual(expect.arrayContaining(['echo__add', 'changing__one']));
  expect(await names('/mcp/echo')).toEqual(expect.arrayContaining(['add', 'echo']));
  expect(await names('/groups/maths/mcp')).toEqual(['echo__add']);
  expect(await names('/groups/maths/mcp/echo')).toEqual(['add']);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('echo__greet');
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain('memo://one');
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
  const single = await managed.connect('/mcp/echo', KEY);
  expect(single.getServerVersion()).toMatchObject({ name: 'echo', version: '1.2.3' });
  expect(single.getServerCapabilities()).toMatchObject({ tools: {}, prompts: {}, resources: {} });
  for (const method of ['server/discover', 'tools/list', 'prompts/list', 'resources/list']) {
    for (const path of ['/mcp', '/mcp/echo']) {
      const response = await sendStateless(managed.origin, method, { path, headers: KEY });
      expect([method, path, response.status]).toEqual([method, path, 200]);
    }
  }
  const base = '/api/v1/servers/echo';
  const paths = [
    `${base}/tools`,
    `${base}/prompts`,
    `${base}/resources`,
    `${base}/resources/templates`,
    '/api/v1/tools?q=add',
    '/api/v1/prompts?q=greet',
    '/api/v1/resources?q=memo',
    '/openapi/echo.json',
    '/groups/maths/openapi/echo.json',
    '/groups/maths/api/v1/servers/echo/tools',
    '/api/v1/health/servers',
  ];
  for (const path of paths) {
    const response = await managed.get(path);
    expect([path, response.status]).toEqual([path, 200]);
  }
  const document = await (await managed.get('/openapi/echo.json')).json();
  expect(document).toMatchObject({ info: { title: 'echo', version: '1.2.3' } });
  expect(managed.starts).toEqual([]);

  await client.callTool({ name: 'echo__echo', arguments: { message: 'hello' } });
  expect(managed.starts).toEqual(['echo']);
  await managed.context.calls.close();
  await managed.server('echo').sleep();
  await client.listTools();
  expect(managed.starts).toEqual(['echo']);
  expect((await client.readResource({ uri: 'memo://one' })).contents).toHaveLength(1);
  expect(managed.starts).toEqual(['echo', 'echo']);
});

test('search mode finds the tools of stopped servers', async () => {
  const managed = await openKnown({ mode: 'search' });
  const client = await managed.connect('/mcp', KEY);
  const found = await client.callTool({ name: 'search_tools', arguments: { query: 'adds numbers' } });
  expect(JSON.stringify(found.structuredContent)).toContain('echo__add');
  expect(managed.starts).toEqual([]);
});

test('a key does not get the saved lists of servers that it cannot use', async () => {
  const managed = await openKnown();
  const limited = { Authorization: bearer('limited') };
  const client = await managed.connect('/mcp', limited);
  const { tools } = await client.listTools();
  expect(tools.filter(({ name }) => !name.startsWith('changing__'))).toEqual([]);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
    'changing__one',
    'changing__two',
  ]);
  expect((await client.listResources()).resources).toEqual([]);
  await expect(managed.connect('/mcp/echo', limited)).rejects.toThrow(/not found/);
  expect((await managed.get('/api/v1/servers/echo/tools', limited)).status).toBe(403);
  expect((await managed.get('/openapi/echo.json', limited)).status).toBe(403);
  expect(JSON.stringify(await (await managed.get('/api/v1/tools?q=add', limited)).json())).not.toContain(
    'echo',
  );
  expect(managed.starts).toEqual([]);
});

test('a start without other lists notifies no client', async () => {
  const managed = await openKnown();
  const client = await managed.connect('/mcp', KEY);
  const notified: string[] = [];
  client.fallbackNotificationHandler = ({ method }) => Promise.resolve(void notified.push(method));
  await client.listTools();
  await client.callTool({ name: 'changing__one', arguments: {} });
  await client.callTool({ name: 'changing__become', arguments: { tools: ['three'] } });
  await managed.context.calls.close();
  await managed.server('changing').sleep();
  expect(notified).toEqual([]);
});

test('unsubscribing and disconnecting do not start a stopped server', async () => {
  const managed = await open({ servers: [serverSpec('suite', 'conformance', { lazy: true })] });
  const client = await managed.connect();
  const { resources } = await client.listResources();
  const [one, other] = resources.map(({ uri }) => uri);
  await client.subscribeResource({ uri: String(one) });
  await client.subscribeResource({ uri: String(other) });
  await managed.context.calls.close();
  await managed.server('suite').sleep();
  const before = managed.starts.length;
  await client.unsubscribeResource({ uri: String(one) });
  await managed.endSession(client);
  await (await managed.connect()).listTools();
  expect(managed.starts).toHaveLength(before);
});

test("a user's lists are kept in memory for this user only, until the user signs out", async () => {
  const server = await startProtectedServer();
  const launch = remoteLaunch(server.url, { oauth: { grant: 'authorization_code', perUser: true } });
  const managed = await open({
    servers: [{ ...specOf(launch), lazy: true, idleMs: 60_000 }],
    keys: ['ann', 'bob'].map((name) => keyOf(name)),
    signIns: openSignIns(join(folder(), 'sign-ins'), { env: {} }),
  });
  const send = (key: string, method: string, path: string, body?: object) =>
    fetch(managed.origin + path, {
      method,
      headers: { authorization: bearer(key), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const path = '/api/v1/servers/server';
  const started = await send('ann', 'POST', `${path}/sign-in`, {
    redirectUri: 'http://127.0.0.1:9/callback',
  });
  const { authorizationUrl } = (await started.json()) as { authorizationUrl: string };
  const query = await server.signIn(new URL(authorizationUrl), 'ann');
  await send('ann', 'POST', `${path}/sign-in/complete`, { query });
  const tools = async (key: string): Promise<number> => (await send(key, 'GET', `${path}/tools`)).status;

  expect([await tools('ann'), await tools('bob')]).toEqual([200, 502]);
  const connections = managed.starts.length;
  expect([await tools('ann'), await tools('bob')]).toEqual([200, 502]);
  expect(managed.starts).toHaveLength(connections);
  await send('ann', 'DELETE', `${path}/sign-in`);
  expect([await tools('ann'), await tools('bob')]).toEqual([502, 502]);
  await managed.context.calls.close();
  expect(readdirSync(folder())).not.toContain('saved-lists');
});
