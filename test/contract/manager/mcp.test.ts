import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect } from 'vitest';
import { ECHO, serversToml, TWO } from './config.ts';
import { type Api, shareManagers, useManagers } from './shared-managers.ts';
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
  await expect.poll(logged, { timeout: 20_000 }).toContain('sleeping');
  cancelling.abort('enough');
  await expect(call).rejects.toThrow(/enough/);
  await expect.poll(logged, { timeout: 20_000 }).toContain('cancelled');
});

verifiesManaged('manager:mcp:list-changed', async (arm) => {
  const api = await start(arm, { config: TWO });
  const client = await connect(api, '/mcp');
  let heard = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (heard += 1));
  await client.listTools();
  await client.callTool({ name: 'one__list-changed', arguments: { list: 'tools' } });
  await expect.poll(() => heard, { timeout: 20_000 }).toBeGreaterThan(0);
  const before = heard;
  writeFileSync(join(api.folder, '.mcpd.toml'), serversToml({ name: 'one', run: ['echo.mjs'] }));
  expect((await api.post('/api/v1/admin/reload', {})).status).toBe(200);
  await expect.poll(() => heard, { timeout: 20_000 }).toBeGreaterThan(before);
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
