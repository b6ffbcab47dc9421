import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect } from 'vitest';
import { ECHO, serversToml, TWO } from './config.ts';
import type { Api } from '../shared-services.ts';
import { shareManagers, useManagers } from './shared-managers.ts';
import { verifiesManaged } from './verifies.ts';

const share = shareManagers();
const start = useManagers();
const BROKEN = serversToml({ name: 'good', run: ['echo.mjs'] }, { name: 'bad', run: ['exits-at-start.mjs'] });

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** The SDK's own client. */
async function connect({ url }: Api, path: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(url + path)));
  return client;
}

const namesIn = (items: readonly { readonly name: string }[]): string[] => items.map(({ name }) => name);

verifiesManaged('manager:mcp:all', async (arm) => {
  const client = await connect(await share(arm, { config: TWO }), '/mcp');
  const { tools } = await client.listTools();
  expect(namesIn(tools)).toEqual(expect.arrayContaining(['one__echo', 'two__echo']));
  expect(await client.callTool({ name: 'two__echo', arguments: { message: 'hi' } })).toMatchObject({
    content: [{ type: 'text', text: 'hi' }],
  });
  expect(namesIn((await client.listPrompts()).prompts)).toEqual(
    expect.arrayContaining(['one__greet', 'two__greet']),
  );
  const prompt = await client.getPrompt({ name: 'one__greet', arguments: { name: 'Ada' } });
  expect(JSON.stringify(prompt.messages)).toContain('Ada');
  const { resources } = await client.listResources();
  expect(new Set(resources.map(({ uri }) => uri)).size).toBe(resources.length);
  expect(resources).toHaveLength(6);
  for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1);
  expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(0);
  await expect(client.callTool({ name: 'one__nothing' })).rejects.toThrow(/nothing/);
});

verifiesManaged('manager:mcp:one', async (arm) => {
  const api = await share(arm, { config: ECHO });
  const client = await connect(api, '/mcp/echo');
  expect(namesIn((await client.listTools()).tools)).toContain('echo');
  expect(await client.callTool({ name: 'structured' })).toMatchObject({
    structuredContent: { city: 'Oslo', degrees: 3.5 },
  });
  expect(await client.callTool({ name: 'is-error', arguments: { message: 'no' } })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'no' }],
  });
  await expect(client.callTool({ name: 'rpc-error' })).rejects.toMatchObject({ code: -32_000 });
  await expect(connect(api, '/mcp/nobody')).rejects.toThrow(/404|No such/);
});

verifiesManaged('manager:mcp:broken-server', async (arm) => {
  const client = await connect(await share(arm, { config: BROKEN }), '/mcp');
  const names = namesIn((await client.listTools()).tools);
  expect(names).toContain('good__echo');
  expect(names.filter((name) => name.startsWith('bad__'))).toEqual([]);
  await expect(client.callTool({ name: 'bad__echo' })).rejects.toThrow(/bad/);
});

verifiesManaged('manager:mcp:schemas', async (arm) => {
  const client = await connect(await share(arm, { config: ECHO }), '/mcp/echo');
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'schema')).toMatchObject({
    inputSchema: { $defs: { place: { type: 'object' } }, additionalProperties: false },
    _meta: { kept: true },
  });
  expect(tools.find(({ name }) => name === 'structured')).toMatchObject({
    title: 'Structure',
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  });
});

const APPS = serversToml(
  { name: 'one', run: ['apps.mjs'] },
  { name: 'two', run: ['apps.mjs'] },
  { name: 'plain', run: ['apps.mjs'], keys: 'extensions = []' },
);

verifiesManaged('manager:mcp:apps', async (arm) => {
  const api = await share(arm, { config: APPS });
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { extensions } });
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`)));
  const { tools } = await client.listTools();
  const uri = 'ui://mcp-manager/two/stats/page';
  expect(tools.find(({ name }) => name === 'two__poll-stats')?._meta?.['ui']).toEqual({
    resourceUri: uri,
    visibility: ['app'],
  });
  expect(JSON.stringify(await client.readResource({ uri }))).toContain('window.parent');
  const asApp = (server: string, name: string): Promise<unknown> =>
    client.callTool({ name, arguments: {}, _meta: { 'mcp-manager/app': server } });
  expect(JSON.stringify(await asApp('two', 'two__poll-stats'))).toContain('poll-stats');
  await expect(asApp('one', 'two__poll-stats')).rejects.toThrow(/own server/);
  await expect(asApp('two', 'two__only-model')).rejects.toThrow(/only language models/);
});

verifiesManaged('manager:mcp:extensions', async (arm) => {
  const api = await share(arm, { config: APPS });
  const [one, plain] = await Promise.all([connect(api, '/mcp/one'), connect(api, '/mcp/plain')]);
  expect(one.getServerCapabilities()).toMatchObject({ extensions: { 'io.modelcontextprotocol/ui': {} } });
  expect(plain.getServerCapabilities()).not.toHaveProperty('extensions');
  expect((await plain.listTools()).tools.every(({ _meta }) => _meta?.['ui'] === undefined)).toBe(true);
  const logs = await api.get('/api/v1/admin/servers/plain/logs');
  expect(logs.text).toContain('the extension \\"io.modelcontextprotocol/ui\\" is not passed on');
});

verifiesManaged('manager:mcp:tasks', async (arm) => {
  const api = await share(arm, { config: serversToml({ name: 'work', run: ['tasks.mjs'] }) });
  const client = await connect(api, '/mcp');
  const { task } = await client.request(
    { method: 'tools/call', params: { name: 'work__work', arguments: { key: 'a' }, task: {} } },
    CreateTaskResultSchema,
  );
  expect(task.status).toBe('working');
  const other = await connect(api, '/mcp/work');
  await expect(other.experimental.tasks.getTask(task.taskId)).rejects.toThrow(/Task not found/);
  await client.callTool({ name: 'work__finish', arguments: { key: 'a' } });
  const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
  expect(result).toMatchObject({ structuredContent: { key: 'a' } });
});

verifiesManaged('manager:mcp:progress', async (arm) => {
  const client = await connect(await share(arm, { config: ECHO }), '/mcp');
  const heard: number[] = [];
  await client.callTool({ name: 'echo__progress', arguments: { steps: 3 } }, undefined, {
    onprogress: ({ progress }) => void heard.push(progress),
  });
  expect(heard).toEqual([1, 2, 3]);
});

verifiesManaged('manager:mcp:cancel', async (arm) => {
  const api = await share(arm, { config: ECHO });
  const client = await connect(api, '/mcp');
  const logged = async (): Promise<string> => (await api.get('/api/v1/admin/servers/echo/logs')).text;
  const cancelling = new AbortController();
  const call = client.callTool({ name: 'echo__sleep-until-cancelled' }, undefined, {
    signal: cancelling.signal,
  });
  call.catch(() => {});
  await expect.poll(logged).toContain('sleeping');
  cancelling.abort('enough');
  await expect(call).rejects.toThrow(/enough/);
  await expect.poll(logged).toContain('cancelled');
});

verifiesManaged('manager:mcp:asks', async (arm) => {
  const api = await share(arm, { config: ECHO });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
  clients.push(client);
  const roots = [{ uri: 'file:///home/ada' }];
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`)));
  const asking = { name: 'echo__ask', arguments: { method: 'roots/list' } };
  expect(JSON.stringify(await client.callTool(asking))).toContain('file:///home/ada');
  const unable = await connect(api, '/mcp');
  expect(JSON.stringify(await unable.callTool(asking))).toContain('does not support roots/list');
  const noted = await api.post('/api/v1/servers/echo/tools/ask', { method: 'roots/list' });
  expect(noted.text).toContain('does not support roots/list');
});

/** Opens a session manually; resolves with a function that sends messages in it. */
async function openSession({
  url,
}: Api): Promise<(message: object, signal?: AbortSignal) => Promise<Response>> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const send = (message: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/mcp/echo`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(signal && { signal }),
    });
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const opened = await send({ id: 0, method: 'initialize', params });
  await opened.text();
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  return send;
}

verifiesManaged('manager:mcp:plain-json', async (arm) => {
  const send = await openSession(await share(arm, { config: ECHO }));
  const params = { name: 'echo', arguments: { message: 'hi' } };
  const answer = await send({ id: 1, method: 'tools/call', params });
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.json()).toMatchObject({ id: 1, result: { content: [{ text: 'hi' }] } });
});

verifiesManaged('manager:mcp:resume', async (arm) => {
  const api = await share(arm, { config: ECHO });
  const send = await openSession(api);
  const leave = new AbortController();
  const _meta = { progressToken: 'p' };
  const params = { name: 'progress-then-hold', arguments: { key: 'lost' }, _meta };
  const lost = await send({ id: 1, method: 'tools/call', params }, leave.signal);
  const session = lost.headers.get('mcp-session-id') ?? '';
  const reader = lost.body?.getReader();
  const chunk = await reader?.read();
  const [, id = ''] = /^id: (.*)$/m.exec(new TextDecoder().decode(chunk?.value)) ?? [];
  leave.abort();
  await send({ id: 2, method: 'tools/call', params: { name: 'release', arguments: { key: 'lost' } } });
  const rest = await fetch(`${api.url}/mcp/echo`, {
    headers: { accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': id },
  });
  const text = await rest.text();
  expect(text).toContain('"progressToken":"p"');
  expect(text).toContain('"released"');
});

verifiesManaged('manager:mcp:list-changed', async (arm) => {
  const api = await start(arm, { config: TWO });
  const client = await connect(api, '/mcp');
  let heard = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (heard += 1));
  await client.listTools();
  await client.callTool({ name: 'one__list-changed', arguments: { list: 'tools' } });
  await expect.poll(() => heard).toBeGreaterThan(0);
  const before = heard;
  writeFileSync(join(api.folder, '.mcpd.toml'), serversToml({ name: 'one', run: ['echo.mjs'] }));
  expect((await api.post('/api/v1/admin/reload', {})).status).toBe(200);
  await expect.poll(() => heard).toBeGreaterThan(before);
  expect(namesIn((await client.listTools()).tools).filter((name) => name.startsWith('two__'))).toEqual([]);
});

verifiesManaged('manager:mcp:search', async (arm) => {
  const client = await connect(await share(arm, { config: TWO }, ['--mcp-mode', 'search']), '/mcp');
  expect(namesIn((await client.listTools()).tools)).toEqual(['search_tools', 'call_tool']);
  const found = await client.callTool({
    name: 'search_tools',
    arguments: { query: 'adds numbers', limit: 2 },
  });
  expect(JSON.stringify(found)).toContain('one__add');
  const called = await client.callTool({
    name: 'call_tool',
    arguments: { name: 'one__add', arguments: { a: 2, b: 3 } },
  });
  expect(called).toMatchObject({ content: [{ text: '5' }] });
});

verifiesManaged('manager:mcp:modes', async (arm) => {
  const config = `${TWO}\n[[groups]]\nname = "few"\nservers = ["one"]\nmcp_mode = "code"\n`;
  const flags = ['--mcp-mode', 'search', '--client-mcp-modes', 'all'];
  const api = await share(arm, { config }, flags);
  const toolsAt = async (path: string): Promise<string[]> =>
    namesIn((await (await connect(api, path)).listTools()).tools);
  expect(await toolsAt('/mcp')).toEqual(['search_tools', 'call_tool']);
  expect(await toolsAt('/groups/few/mcp')).toEqual(['search_tools', 'run_script']);
  expect(await toolsAt('/groups/few/mcp?mode=all')).toContain('one__add');
  await expect(connect(api, '/mcp?mode=code')).rejects.toThrow('Clients can select all.');
});

verifiesManaged('manager:mcp:code', async (arm) => {
  const client = await connect(await share(arm, { config: TWO }, ['--mcp-mode', 'code']), '/mcp');
  expect(namesIn((await client.listTools()).tools)).toEqual(['search_tools', 'run_script']);
  const found = await client.callTool({
    name: 'search_tools',
    arguments: { query: 'one adds numbers', limit: 1 },
  });
  expect(found).toMatchObject({
    content: [{ text: '-- Adds two numbers.\ntools.one.add{ a: number, b: number } -> any' }],
  });
  const run = async (script: string): Promise<unknown> =>
    await client.callTool({ name: 'run_script', arguments: { script } });
  const script = `local sums = parallel({ 1, 2 }, function(n) return tools.one.add{ a = n, b = 1 } end)
    return { sums = sums, echo = tools.two.echo{ message = "x" }, io = io == nil }`;
  expect(await run(script)).toEqual({
    content: [{ type: 'text', text: '{"echo":"x","io":true,"sums":["2","3"]}' }],
  });
  expect(await run('local a = 1\nreturn tools.one.nothing{}')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('line 2: tool not found: one/nothing') as string }],
  });
});
