import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GroupSpec } from '#manager/config/group-spec.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { hearAll } from '../mcp/heard.ts';
import { type Managed, openManager } from '../mcp/managed.ts';
import { serverSpec } from '../server-spec.ts';

const group = (name: string, changes: Partial<GroupSpec>): GroupSpec => ({
  name,
  servers: [],
  tools: [],
  prompts: [],
  resources: [],
  ...changes,
});
const MATHS = group('maths', { tools: ['echo/add', 'camel/get*'] });
const ALL = group('all', { servers: ['*'] });

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [
      serverSpec('echo', 'echo', { approvals: [{ tools: ['echo'], action: 'ask' }] }),
      serverSpec('camel', 'camel-case-tools'),
      serverSpec('other', 'echo'),
    ],
    groups: [MATHS, ALL],
    keys: [
      keyOf('all'),
      keyOf('grouped', { groups: ['maths', 'gone'] }),
      keyOf('both', { groups: ['maths'], servers: ['camel'] }),
    ],
  });
  await Promise.all(['echo', 'camel', 'other'].map(managed.running));
});
afterAll(() => managed.close());

interface Body {
  readonly tools: readonly { readonly name: string }[];
  readonly servers: readonly unknown[];
  readonly prompts: readonly unknown[];
  readonly detail: string;
}

const send = async (key: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(managed.origin + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: bearer(key), 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
};
const toolsOf = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

test("a server's OpenAPI document contains only the group's tools, and its routes follow approval rules", async () => {
  const { body } = await send('all', '/groups/Maths/openapi/echo.json');
  const { paths, servers } = body as unknown as { paths: object; servers: readonly { url: string }[] };
  expect(Object.keys(paths)).toEqual(['/add']);
  expect(servers[0]?.url).toMatch(/\/groups\/Maths\/openapi\/echo$/);
  const base = '/groups/maths/openapi/echo';
  expect(await send('all', `${base}/add`, { a: 1, b: 2 })).toEqual({ status: 200, body: 3 });
  expect((await send('all', `${base}/echo`, { message: 'x' })).status).toBe(403);
  expect((await send('grouped', '/groups/all/openapi/echo.json')).status).toBe(403);
  const unconfirmed = await send('all', '/openapi/echo/echo', { message: 'x' });
  expect([unconfirmed.status, unconfirmed.body.detail]).toEqual([
    403,
    expect.stringContaining('X-Confirm-Tool'),
  ]);
  const confirmed = { 'X-Confirm-Tool': 'echo/echo' };
  expect((await send('all', '/openapi/echo/echo', { message: 'x' }, confirmed)).status).toBe(200);
});

test("a group's endpoints contain only its servers and tools, over MCP and HTTP", async () => {
  const client = await managed.connect('/groups/Maths/mcp', { Authorization: bearer('all') });
  expect(client.getServerVersion()?.name).toBe('maths');
  expect(await toolsOf(client)).toEqual(['camel__getWeather', 'camel__Get_Time', 'echo__add']);
  expect((await client.listPrompts()).prompts).toEqual([]);
  expect((await client.callTool({ name: 'echo__add', arguments: { a: 1, b: 2 } })).content).toEqual([
    { type: 'text', text: '3' },
  ]);
  await expect(client.callTool({ name: 'echo__echo', arguments: {} })).rejects.toThrow('tool not allowed');
  const one = await managed.connect('/groups/maths/mcp/echo', { Authorization: bearer('all') });
  expect(await toolsOf(one)).toEqual(['add']);

  const base = '/groups/maths/api/v1';
  expect((await send('all', `${base}/servers`)).body).toEqual(['camel', 'echo']);
  expect((await send('all', `${base}/servers/echo/tools?detail=minimal`)).body.tools).toMatchObject([
    { name: 'add' },
  ]);
  expect((await send('all', `${base}/tools?q=a`)).body.tools.map(({ name }) => name)).not.toContain('echo');
  expect((await send('all', `${base}/health/servers`)).body.servers).toHaveLength(2);
  expect(await send('all', `${base}/servers/echo/tools/add`, { a: 1, b: 2 })).toEqual({
    status: 200,
    body: '3',
  });
  expect((await send('all', `${base}/servers/echo/tools/echo`, {})).status).toBe(403);
  expect((await send('all', `${base}/servers/other/tools/add`, {})).body.detail).toBe(
    'server not allowed: other',
  );
  expect((await send('all', `${base}/servers/echo/prompts`)).body.prompts).toEqual([]);
  expect((await send('all', '/groups/maths/mcp/other', {})).status).toBe(404);
  expect(await send('all', '/groups/none/api/v1/servers')).toMatchObject({
    status: 404,
    body: { detail: 'group not found: none' },
  });
  // Admin routes are not part of a group.
  expect((await send('all', '/groups/maths/api/v1/admin/status')).status).toBe(404);
});

test('a key that is limited to groups allows only the tools in those groups, on every path', async () => {
  expect((await send('grouped', '/api/v1/servers')).body).toEqual(['camel', 'echo']);
  expect((await send('grouped', '/api/v1/servers/echo/tools?detail=minimal')).body.tools).toMatchObject([
    { name: 'add' },
  ]);
  expect((await send('grouped', '/groups/maths/api/v1/servers')).body).toEqual(['camel', 'echo']);
  expect((await send('grouped', '/groups/gone/api/v1/servers')).status).toBe(404);
  for (const name of ['all', 'nothing']) {
    expect(await send('grouped', `/groups/${name}/api/v1/servers`)).toMatchObject({
      status: 403,
      body: { detail: `group not allowed: ${name}` },
    });
  }
  expect((await send('both', '/api/v1/servers')).body).toEqual(['camel']);
});

test("a group's session cannot be used on another path", async () => {
  const headers = { Authorization: bearer('all'), Accept: 'application/json, text/event-stream' };
  const opened = await fetch(`${managed.origin}/groups/maths/mcp`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  });
  await opened.text();
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const statuses = await Promise.all(
    ['/mcp', '/groups/all/mcp', '/groups/maths/mcp'].map(
      async (path) => (await send('all', path, list, { ...headers, ...session })).status,
    ),
  );
  expect(statuses).toEqual([404, 404, 200]);
});

test('a reload changes the groups, and clients are notified', async () => {
  const client = await managed.connect('/groups/all/mcp', { Authorization: bearer('all') });
  const heard = hearAll(client);
  await client.listTools();
  managed.context.groups.replace([MATHS, group('all', { servers: ['camel'] })]);
  await heard.next('notifications/tools/list_changed');
  expect(await toolsOf(client)).toEqual(['camel__getWeather', 'camel__Get_Time', 'camel__LIST-ALL']);
  managed.context.groups.replace([MATHS]);
  await expect(client.listTools()).rejects.toThrow('group not found: all');
  managed.context.groups.replace([MATHS, ALL]);
});

test('a tool that requires approval is confirmed by elicitation over MCP and by a request header over HTTP', async () => {
  const client = await managed.connect('/mcp', { Authorization: bearer('all') }, { elicitation: {} });
  const messages: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    messages.push(params.message);
    return { action: 'accept', content: { allow: true } };
  });
  const request = { name: 'echo__echo', arguments: { message: 'hi' } };
  expect((await client.callTool(request)).content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(messages).toEqual(['Allow a call to the tool echo/echo with these arguments? {"message":"hi"}']);
  // An MCP client sends the same header with all calls, so it does not confirm anything.
  const header = { 'X-Confirm-Tool': 'echo/echo' };
  const mute = await managed.connect('/mcp', { Authorization: bearer('all'), ...header });
  await expect(mute.callTool(request)).rejects.toThrow('tool requires confirmation: echo/echo.');

  const path = '/api/v1/servers/echo/tools/echo';
  expect(await send('all', path, { message: 'hi' })).toMatchObject({ status: 403 });
  expect(await send('all', path, { message: 'hi' }, header)).toEqual({ status: 200, body: 'hi' });
});
