import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { serverSpec } from '../server-spec.ts';
import { hearAll } from './heard.ts';
import { type Managed, openManager } from './managed.ts';

const SUITE_RESOURCES = ['test://static-text', 'test://static-binary', 'test://watched-resource'];

const folder = useTempFolder();
let managed: Managed;
let client: Client;
beforeAll(async () => {
  managed = await openManager({
    servers: [
      serverSpec('echo', 'echo'),
      serverSpec('twin', 'echo'),
      serverSpec('suite', 'conformance'),
      serverSpec('camel', 'camel-case-tools'),
      serverSpec('broken', 'exits-at-start'),
    ],
  });
  await Promise.all(['echo', 'twin', 'suite', 'camel'].map((name) => managed.running(name)));
  client = await managed.connect();
});
afterAll(() => managed.close());

test('the endpoint reports its name and its servers', () => {
  expect(client.getServerVersion()).toMatchObject({ name: 'mcp-manager', version: '1.2.3' });
  expect(client.getInstructions()).toContain('broken, camel, echo, suite, twin');
  expect(client.getInstructions()).toContain('server__name');
});

describe('tools and prompts', () => {
  test("names are prefixed with the server name and keep the server's spelling", async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['camel__getWeather', 'echo__echo', 'suite__test_simple_text', 'twin__echo']),
    );
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo__Picture', 'twin__greet']));
  });

  test('tools and prompts are called by their prefixed names', async () => {
    const weather = await client.callTool({ name: 'camel__getWeather', arguments: {} });
    expect(weather.isError).toBeUndefined();
    const echo = await client.callTool({ name: 'twin__echo', arguments: { message: 'hello' } });
    expect(echo.content).toEqual([{ type: 'text', text: 'hello' }]);
    const prompt = await client.getPrompt({ name: 'echo__greet', arguments: { name: 'Ada' } });
    expect(prompt.messages[0]?.content).toEqual({ type: 'text', text: 'greet {"name":"Ada"}' });
  });

  test('the error for a name that belongs to no server explains the naming rule', async () => {
    await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('server__tool') as string,
    });
    await expect(client.getPrompt({ name: 'nobody__greet' })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.callTool({ name: 'echo__nothing', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('echo/nothing') as string,
    });
  });

  test("prompt arguments are completed by the prompt's server", async () => {
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'suite__test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'par' },
    });
    expect(completion.values).toEqual(['par-one', 'par-two']);
  });
});

describe('a server that fails to start', () => {
  test('a server that fails to start is omitted from lists, which is logged', async () => {
    const { tools } = await client.listTools();
    expect(tools.some(({ name }) => name.startsWith('broken__'))).toBe(false);
    expect(managed.logged).toContainEqual(
      expect.objectContaining({ server: 'broken', msg: 'server omitted from tools/list' }),
    );
  });

  test('a call to a server that fails to start returns the reason and a retry delay', async () => {
    await expect(client.callTool({ name: 'broken__any', arguments: {} })).rejects.toMatchObject({
      message: expect.stringContaining('no license file found') as string,
      data: { retryAfterSeconds: expect.any(Number) as number },
    });
  });
});

describe('resources', () => {
  test('resources keep their URIs, unless two servers have a resource with the same URI', async () => {
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual([
      ...['one', 'blob', 'empty'].map((name) => `mcp:echo:memo://${name}`),
      ...SUITE_RESOURCES,
      ...['one', 'blob', 'empty'].map((name) => `mcp:twin:memo://${name}`),
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('test://template/{id}/data');
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('mcp:echo:note://{day}/{hour}');
  });

  test('resources are read from the server that lists them or has a matching template', async () => {
    const { contents } = await client.readResource({ uri: 'test://static-text' });
    expect(contents[0]).toMatchObject({ uri: 'test://static-text', text: 'A text that never changes.' });
    const made = await client.readResource({ uri: 'test://template/7/data' });
    expect(made.contents[0]).toMatchObject({ text: '{"id":"7"}' });
  });

  test('resources that two servers share are returned under separate URIs', async () => {
    const { contents } = await client.readResource({ uri: 'mcp:twin:memo://one' });
    expect(contents[0]).toMatchObject({ uri: 'mcp:twin:memo://one', text: 'The first memo.' });
    await expect(client.readResource({ uri: 'memo://one' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('mcp:echo:memo://one or mcp:twin:memo://one') as string,
    });
  });

  test('a resource with empty text is returned', async () => {
    const { contents } = await client.readResource({ uri: 'mcp:echo:memo://empty' });
    expect(contents[0]).toMatchObject({ text: '' });
  });

  test('a resource of an unknown server is not found', async () => {
    await expect(client.readResource({ uri: 'nope://x' })).rejects.toMatchObject({
      code: -32_002,
      data: { uri: 'nope://x' },
    });
  });
});

test('a server that starts slowly does not delay lists, and its items appear once the server runs', async () => {
  const start = join(folder(), 'start');
  const slow = serverSpec('slow', 'slow-init', { env: { WAIT_FOR: start } });
  const other = await openManager({ servers: [serverSpec('echo', 'echo'), slow], listTimeoutMs: 300 });
  await other.running('echo');
  const early = await other.connect();
  const heard = hearAll(early);
  const namesNow = async () => (await early.listTools()).tools.map(({ name }) => name.split('__')[0]);
  expect(new Set(await namesNow())).toEqual(new Set(['echo']));
  heard.forget();
  writeFileSync(start, '');
  await heard.next('notifications/tools/list_changed');
  await other.running('slow');
  expect(new Set(await namesNow())).toEqual(new Set(['echo', 'slow']));
  await other.close();
});

test('a server that hangs does not delay lists, and its items appear once the server responds', async () => {
  const hung = serverSpec('hung', 'changing', { env: { HANG: 'tools,prompts' } });
  const other = await openManager({ servers: [serverSpec('echo', 'echo'), hung], listTimeoutMs: 500 });
  await Promise.all([other.running('echo'), other.running('hung')]);
  const early = await other.connect();
  const heard = hearAll(early);
  const serversOf = (items: readonly { readonly name: string }[]) => [
    ...new Set(items.map(({ name }) => name.split('__')[0])),
  ];
  expect(serversOf((await early.listTools()).tools)).toEqual(['echo']);
  expect(serversOf((await early.listPrompts()).prompts)).toEqual(['echo']);
  heard.forget();
  process.kill(Number(other.server('hung').status().pid), 'SIGUSR2');
  await heard.next('notifications/tools/list_changed');
  expect(serversOf((await early.listTools()).tools)).toEqual(['echo', 'hung']);
  await heard.next('notifications/prompts/list_changed');
  expect(serversOf((await early.listPrompts()).prompts)).toEqual(['echo', 'hung']);
  await other.close();
});
