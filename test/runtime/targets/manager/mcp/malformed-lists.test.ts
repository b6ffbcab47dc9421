import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DROPPED, named, REPAIRED } from '../malformed-tools.ts';
import { serverSpec } from '../server-spec.ts';
import { runClient } from '../client/run-client.ts';
import { type Managed, openManager } from './managed.ts';

const LONG = 'n'.repeat(200);

/** Tools with names that clients do not accept. */
const RENAMED = ['two words', 'straße', 'a/b', 'a,b', LONG];

const PROMPTS = [
  { name: 'odd', title: 1, description: null, arguments: null, icons: null, _meta: null },
  { name: 'odd-arguments', arguments: [{ name: 'a', required: null, description: null }, { name: 5 }, null] },
  { title: 'no name' },
  null,
];
const RESOURCES = [
  {
    uri: 'odd:1',
    name: null,
    title: null,
    description: 5,
    mimeType: null,
    size: '7',
    annotations: null,
    _meta: [],
  },
  { uri: 'odd:2', annotations: { audience: ['robot'], priority: 7, lastModified: 'today' } },
  { name: 'no uri' },
  'text',
];
const TEMPLATES = [
  { uriTemplate: 'odd:{a}', name: null, description: null, mimeType: 1 },
  { name: 'no template' },
];

let managed: Managed;
let client: Client;
beforeAll(async () => {
  const env = {
    TOOLS: JSON.stringify([...REPAIRED, ...RENAMED.map((name) => named(name)), ...DROPPED]),
    PROMPTS: JSON.stringify(PROMPTS),
    RESOURCES: JSON.stringify(RESOURCES),
    TEMPLATES: JSON.stringify(TEMPLATES),
  };
  managed = await openManager({
    servers: [serverSpec('good', 'echo'), serverSpec('malformed', 'malformed', { env })],
  });
  await Promise.all(['good', 'malformed'].map((name) => managed.running(name)));
  client = await managed.connect();
});
afterAll(() => managed.close());

const toolNames = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

test('a strict client gets the tools of all servers, repaired where possible', async () => {
  const names = await toolNames(client);
  expect(names).toContain('good__echo');
  const own = names.filter((name) => name.startsWith('malformed__'));
  expect(own.slice(0, REPAIRED.length)).toEqual(REPAIRED.map((tool) => `malformed__${tool.name}`));
  expect(own).toHaveLength(REPAIRED.length + RENAMED.length + 1);
  expect(own.at(-1)).toBe('malformed__answer');
});

test('repairs keep the valid parts of schemas and icons', async () => {
  const { tools } = await client.listTools();
  const schemaOf = (tool: string) => tools.find(({ name }) => name === `malformed__${tool}`)?.inputSchema;
  expect(schemaOf('nullable-schema')).toEqual({ type: 'object' });
  expect(schemaOf('null-type')).toEqual({ type: 'object' });
  expect(schemaOf('odd-required')).toEqual({ type: 'object', required: ['a'] });
  expect(schemaOf('odd-properties')).toEqual({
    type: 'object',
    properties: { a: {}, b: {}, c: { not: {} }, d: {} },
  });
  const icons = tools.find(({ name }) => name === 'malformed__odd-icons')?.icons;
  expect(icons).toEqual([{ src: 'data:image/png,' }]);
});

test('names that clients do not accept are changed in lists, and restored in calls', async () => {
  const one = await managed.connect('/mcp/malformed');
  for (const each of [client, one]) {
    const renamed = (await toolNames(each)).slice(-RENAMED.length - 1, -1);
    expect(new Set(renamed).size).toBe(RENAMED.length);
    for (const [at, name] of renamed.entries()) {
      expect(name).toMatch(/^[\w.-]{1,128}$/);
      const { content } = await each.callTool({ name, arguments: {} });
      expect(content).toEqual([{ type: 'text', text: RENAMED[at] }]);
    }
  }
  const { content } = await one.callTool({ name: 'two words', arguments: {} });
  expect(content).toEqual([{ type: 'text', text: 'two words' }]);
});

test('search mode uses the same changed names', async () => {
  const other = await openManager({
    servers: [serverSpec('malformed', 'malformed', { env: { TOOLS: JSON.stringify([named('two words')]) } })],
    mode: 'search',
  });
  await other.running('malformed');
  const searching = await other.connect();
  const found = await searching.callTool({ name: 'search_tools', arguments: { query: 'two words' } });
  const [{ name } = { name: '' }] = (found.structuredContent as { tools: { name: string }[] }).tools;
  expect(name).toMatch(/^malformed__two_words_[\da-f]{8}$/);
  const { content } = await searching.callTool({ name: 'call_tool', arguments: { name } });
  expect(content).toEqual([{ type: 'text', text: 'two words' }]);
  await other.close();
});

test("rules for a tool's original name also apply under its changed name", async () => {
  const env = { TOOLS: JSON.stringify([named('two words'), named('no words')]) };
  const tools = { allow: ['two *'], deny: [] };
  const other = await openManager({ servers: [serverSpec('malformed', 'malformed', { env, tools })] });
  await other.running('malformed');
  const restricted = await other.connect();
  const [name = '', ...rest] = await toolNames(restricted);
  expect([name, rest]).toEqual([expect.stringMatching(/^malformed__two_words_[\da-f]{8}$/), []]);
  const { content } = await restricted.callTool({ name, arguments: {} });
  expect(content).toEqual([{ type: 'text', text: 'two words' }]);
  await other.close();
});

test('prompts, resources and templates are repaired in the same way', async () => {
  const { prompts } = await client.listPrompts();
  expect(prompts.filter(({ name }) => name.startsWith('malformed__odd'))).toEqual([
    { name: 'malformed__odd' },
    { name: 'malformed__odd-arguments', arguments: [{ name: 'a' }] },
  ]);
  const { resources } = await client.listResources();
  expect(resources.filter(({ uri }) => uri.startsWith('odd:'))).toEqual([
    { uri: 'odd:1', name: 'odd:1' },
    { uri: 'odd:2', name: 'odd:2', annotations: {} },
  ]);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.filter(({ uriTemplate }) => uriTemplate === 'odd:{a}')).toEqual([
    { uriTemplate: 'odd:{a}', name: 'odd:{a}' },
  ]);
});

test('omitted items cause a warning in the log, in health and in doctor', async () => {
  await client.listTools();
  await client.listPrompts();
  const why = 'tool "string-schema" is omitted: `inputSchema.type` is "string"; it must be "object"';
  const warned = managed.logged.filter(({ level, msg }) => level === 40 && msg === why);
  expect(warned).toHaveLength(1);
  const health = await fetch(`${managed.origin}/api/v1/health/servers/malformed`);
  const { warnings } = (await health.json()) as { warnings: string[] };
  expect(warnings).toContain(why);
  expect(warnings).toContainEqual(expect.stringMatching(/^prompt 3 is omitted: `name` is missing/));
  const { out, code } = await runClient('doctor', '--config-file', '/no/such/file', '--url', managed.origin);
  expect(out).toContain(`problem  server malformed: ${why}`);
  expect(code).toBe(1);
  const healthy = await fetch(`${managed.origin}/api/v1/health/servers/good`);
  expect(await healthy.json()).not.toHaveProperty('warnings');
});
