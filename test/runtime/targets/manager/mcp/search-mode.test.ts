import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';

let managed: Managed;
let client: Client;
beforeAll(async () => {
  managed = await openManager({
    mode: 'search',
    servers: [serverSpec('echo', 'echo'), serverSpec('camel', 'camel-case-tools')],
  });
  await Promise.all([managed.running('echo'), managed.running('camel')]);
  client = await managed.connect();
});
afterAll(() => managed.close());

interface Found {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: { readonly tools: readonly { readonly name: string }[] };
}

const search = async (args: object): Promise<Found> => {
  const result: unknown = await client.callTool({ name: 'search_tools', arguments: { ...args } });
  return result as Found;
};

test('in search mode, /mcp lists exactly two tools, but a single server still lists its own', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
  expect(client.getInstructions()).toContain('search_tools');
  const one = await managed.connect('/mcp/echo');
  expect((await one.listTools()).tools.length).toBeGreaterThan(2);
});

test('search_tools finds tools with everything needed to call them', async () => {
  const { structuredContent, content } = await search({ query: 'adds numbers' });
  expect(structuredContent.tools[0]).toMatchObject({
    name: 'echo__add',
    title: 'Adder',
    description: 'Adds two numbers.',
    inputSchema: { properties: { a: { type: 'number' }, b: { type: 'number' } } },
  });
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  const weather = await search({ query: 'weather', limit: 1 });
  expect(weather.structuredContent.tools.map(({ name }) => name)).toEqual(['camel__getWeather']);
});

test('call_tool calls a tool and returns its result unchanged', async () => {
  const added = await client.callTool({
    name: 'call_tool',
    arguments: { name: 'echo__add', arguments: { a: 2, b: 3 } },
  });
  expect(added).toEqual({ content: [{ type: 'text', text: '5' }] });
  const failed = await client.callTool({ name: 'call_tool', arguments: { name: 'echo__is-error' } });
  expect(failed).toMatchObject({ isError: true });
});

test.each([{}, { query: 5 }, { query: 'x', limit: 0 }, { query: 'x', limit: 51 }])(
  'the search arguments %j are rejected',
  async (args) => {
    await expect(search(args)).rejects.toMatchObject({ code: -32_602 });
  },
);
