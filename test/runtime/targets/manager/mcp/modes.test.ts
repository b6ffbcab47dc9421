import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';
import { sendStateless } from './stateless-request.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    clientModes: ['all', 'code'],
    groups: [
      { name: 'few', servers: ['echo'], tools: [], prompts: [], resources: [], mcpMode: 'search' },
      { name: 'plain', servers: ['echo'], tools: [], prompts: [], resources: [] },
    ],
    servers: [serverSpec('echo', 'echo')],
    keys: [keyOf('usual'), keyOf('scripts', { mcpMode: 'code' }), keyOf('everything', { mcpMode: 'all' })],
  });
  await managed.running('echo');
});
afterAll(() => managed.close());

const SEARCH = ['search_tools', 'call_tool'];
const CODE = ['search_tools', 'run_script'];

const connect = async (path: string, key: string): Promise<Client> =>
  await managed.connect(path, { authorization: bearer(key) });
const toolsAt = async (path: string, key: string): Promise<readonly string[]> =>
  (await (await connect(path, key)).listTools()).tools.map(({ name }) => name);

test('the mode of a key takes precedence over that of the group, and that over the mode of the manager', async () => {
  expect(await toolsAt('/mcp', 'usual')).toContain('echo__add');
  expect(await toolsAt('/mcp', 'scripts')).toEqual(CODE);
  expect(await toolsAt('/groups/few/mcp', 'usual')).toEqual(SEARCH);
  expect(await toolsAt('/groups/plain/mcp', 'usual')).toContain('echo__add');
  expect(await toolsAt('/groups/few/mcp', 'scripts')).toEqual(CODE);
  expect(await toolsAt('/groups/few/mcp', 'everything')).toContain('echo__add');
});

test('clients with different modes use the same manager at the same time', async () => {
  const [usual, scripts] = await Promise.all([connect('/mcp', 'usual'), connect('/mcp', 'scripts')]);
  const run = { name: 'run_script', arguments: { script: 'return tools.echo.add{ a = 1, b = 2 }' } };
  expect((await scripts.callTool(run)).content).toEqual([{ type: 'text', text: '3' }]);
  await expect(usual.callTool(run)).rejects.toThrow('Unknown tool: "run_script"');
  expect(usual.getInstructions()).not.toContain('run_script');
  expect(scripts.getInstructions()).toContain('run_script');
});

test('a client selects only the modes that are allowed in the URL, which then take precedence', async () => {
  expect(await toolsAt('/mcp?mode=code', 'usual')).toEqual(CODE);
  expect(await toolsAt('/groups/few/mcp?mode=code', 'usual')).toEqual(CODE);
  expect(await toolsAt('/mcp?mode=all&tools=echo/add', 'scripts')).toEqual(['echo__add']);
  for (const mode of ['search', 'toString', '']) {
    await expect(connect(`/mcp?mode=${mode}`, 'usual')).rejects.toThrow(
      `mode: "${mode}" cannot be selected. Clients can select all, code.`.replaceAll('"', String.raw`\"`),
    );
  }
});

test('requests without a session have the mode of their own key and URL', async () => {
  const list = async (path: string, key: string): Promise<string> => {
    const request = { path, headers: { authorization: bearer(key) } };
    return await (await sendStateless(managed.origin, 'tools/list', request)).text();
  };
  expect(await list('/mcp', 'scripts')).toContain('run_script');
  expect(await list('/mcp', 'usual')).toContain('echo__add');
  expect(await list('/mcp?mode=code', 'usual')).toContain('run_script');
});

test('without --client-mcp-modes, clients cannot select a mode', async () => {
  const closed = await openManager({ servers: [serverSpec('echo', 'echo')] });
  try {
    await expect(closed.connect('/mcp?mode=all')).rejects.toThrow(
      'cannot select a mode (--client-mcp-modes)',
    );
  } finally {
    await closed.close();
  }
});
