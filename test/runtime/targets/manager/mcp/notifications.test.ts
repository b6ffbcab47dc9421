import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hearAll } from './heard.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';

const echo = serverSpec('echo', 'echo');
const suite = serverSpec('suite', 'conformance');
const modern = serverSpec('modern', 'modern-only');
const TOOLS = 'notifications/tools/list_changed';
const PROMPTS = 'notifications/prompts/list_changed';
const RESOURCES = 'notifications/resources/list_changed';
const UPDATED = 'notifications/resources/updated';
const MESSAGE = 'notifications/message';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({ servers: [echo, suite, modern] });
  await Promise.all(['echo', 'suite', 'modern'].map((name) => managed.running(name)));
});
afterAll(() => managed.close());

describe('a list change on a server', () => {
  test.each([
    ['tools', TOOLS],
    ['prompts', PROMPTS],
    ['resources', RESOURCES],
  ])('%s: a change is sent to the clients of that server', async (list, method) => {
    const one = await managed.connect('/mcp/echo');
    const heardOne = hearAll(one);
    const heardAll = hearAll(await managed.connect('/mcp'));
    const heardOther = hearAll(await managed.connect('/mcp/suite'));
    await one.callTool({ name: 'list-changed', arguments: { list } });
    await Promise.all([heardAll.next(method), heardOne.next(method)]);
    expect(heardOther.all).toEqual([]);
  });
});

describe('adding and removing servers', () => {
  test('adding or removing a server sends list changes for all lists of /mcp', async () => {
    const client = await managed.connect();
    const heard = hearAll(client);
    managed.configure([echo, suite, modern, serverSpec('extra', 'echo')]);
    await managed.context.reloader.reload();
    await Promise.all([heard.next(TOOLS), heard.next(PROMPTS), heard.next(RESOURCES)]);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('extra__echo');
    heard.forget();
    managed.configure([echo, suite, modern]);
    await managed.context.reloader.reload();
    await heard.next(TOOLS);
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => name.startsWith('extra__'))).toEqual([]);
  });

  test('clients are notified after a killed server has restarted', async () => {
    const client = await managed.connect();
    const heard = hearAll(client);
    const { pid } = managed.server('echo').status();
    process.kill(Number(pid), 'SIGKILL');
    await heard.next(TOOLS);
    await managed.running('echo');
    const { content } = await client.callTool({ name: 'echo__echo', arguments: { message: 'back' } });
    expect(content).toEqual([{ type: 'text', text: 'back' }]);
  });

  test('the session of a removed server is closed', async () => {
    managed.configure([echo, suite, modern, serverSpec('extra', 'echo')]);
    await managed.context.reloader.reload();
    const client = await managed.connect('/mcp/extra');
    managed.configure([echo, suite, modern]);
    await managed.context.reloader.reload();
    await expect(client.listTools()).rejects.toThrow('404');
  });
});

describe('log messages', () => {
  const log = { method: 'tools/call', params: { name: 'test_tool_with_logging', arguments: {} } };

  test("log messages reach the server's clients, and those of /mcp with the server's name", async () => {
    const one = await managed.connect('/mcp/suite');
    const all = await managed.connect('/mcp');
    const [heardOne, heardAll] = [hearAll(one), hearAll(all)];
    await one.request(log, ResultSchema);
    const message = await heardOne.next(MESSAGE, ({ data }) => data === 'done');
    expect(message.params).toEqual({ level: 'info', data: 'done' });
    const named = await heardAll.next(MESSAGE, ({ data }) => data === 'done');
    expect(named.params).toEqual({ level: 'info', data: 'done', logger: 'suite' });
  });

  test("log messages below a client's level are not sent to it", async () => {
    const [quiet, loud] = [await managed.connect('/mcp/suite'), await managed.connect('/mcp/suite')];
    const [heardQuiet, heardLoud] = [hearAll(quiet), hearAll(loud)];
    await quiet.setLoggingLevel('error');
    await loud.setLoggingLevel('debug');
    await loud.request(log, ResultSchema);
    await heardLoud.next(MESSAGE, ({ data }) => data === 'done');
    // This response arrives after everything that was sent before.
    await quiet.ping();
    expect(heardQuiet.all).toEqual([]);
  });

  test('log messages from a server of revision 2026-07-28 arrive with responses if the client has set a level', async () => {
    const client = await managed.connect('/mcp/modern');
    const heard = hearAll(client);
    await client.setLoggingLevel('info');
    await client.request({ method: 'tools/call', params: { name: 'log', arguments: {} } }, ResultSchema);
    await heard.next(MESSAGE, ({ data }) => data === 'error of it');
    expect(heard.all.map(({ params }) => params?.['data'])).toEqual(['info of it', 'error of it']);
  });

  test('the log level cannot be set on a server without logging, and /mcp sets it on all servers that support logging', async () => {
    const echoClient = await managed.connect('/mcp/echo');
    await expect(
      echoClient.request({ method: 'logging/setLevel', params: { level: 'info' } }, ResultSchema),
    ).rejects.toMatchObject({ code: -32_601 });
    const client = await managed.connect('/mcp');
    expect(await client.setLoggingLevel('info')).toEqual({});
    await expect(
      client.request({ method: 'logging/setLevel', params: { level: 'loud' } }, ResultSchema),
    ).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('subscribed resources', () => {
  const uri = 'test://watched-resource';

  test.each(['/mcp', '/mcp/suite'])('%s: updates reach only subscribers', async (path) => {
    const client = await managed.connect(path);
    const [heard, heardOther] = [hearAll(client), hearAll(await managed.connect(path))];
    await client.subscribeResource({ uri });
    const update = await heard.next(UPDATED);
    expect(update.params).toEqual({ uri });
    await client.unsubscribeResource({ uri });
    expect(heardOther.all).toEqual([]);
  });

  test('resources are subscribed to again after a server restart', async () => {
    const client = await managed.connect('/mcp/suite');
    const heard = hearAll(client);
    await client.subscribeResource({ uri });
    await heard.next(UPDATED);
    heard.forget();
    await managed.server('suite').restart();
    expect((await heard.next(UPDATED)).params).toEqual({ uri });
  });

  test('a server without subscriptions rejects a subscription', async () => {
    const client = await managed.connect('/mcp/echo');
    await expect(
      client.request({ method: 'resources/subscribe', params: { uri: 'memo://one' } }, ResultSchema),
    ).rejects.toMatchObject({ code: -32_601 });
  });
});
