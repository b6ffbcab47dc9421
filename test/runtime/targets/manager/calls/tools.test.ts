import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ToolCaller } from '#manager/access/caller.ts';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, type TestManager, useManager } from '../use-manager.ts';

const folder = useTempFolder();
const start = useManager();
const call = (manager: TestManager, server: string, tool: string, args: ShapeOfParams = {}) =>
  manager.calls.callTool({ ...callOf(server), tool, args });
const names = async (manager: TestManager, server: string): Promise<string[]> =>
  (await manager.calls.listTools(callOf(server))).map(({ name }) => name);
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const READ_ONLY = ['echo', 'add', 'number', 'env', 'process', 'structured', 'image', 'blocks'];

/** Number of list requests from the manager; `no-ping` logs the requests. */
const listings = (manager: TestManager, server: string): number =>
  manager
    .server(server)
    .logs.last(Infinity)
    .filter((line) => line.text.includes('tools/list')).length;

test("tools are listed and called in the server's spelling, whatever the case in the request", async () => {
  const manager = start([serverSpec('camel', 'camel-case-tools')]);
  expect(await names(manager, 'Camel ')).toEqual(['getWeather', 'Get_Time', 'LIST-ALL']);
  expect(await call(manager, 'camel', 'getweather')).toEqual(text('getWeather'));
  expect(await call(manager, 'CAMEL', 'GET_TIME')).toEqual(text('Get_Time'));
  expect(await call(manager, 'camel', 'LIST-ALL')).toEqual(text('LIST-ALL'));
});

test('unknown servers, unknown tools and servers without allowed tools have different errors', async () => {
  const manager = start([
    serverSpec('echo', 'echo', { tools: { allow: ['echo', 'sleep*'], deny: ['*-cancelled'] } }),
    serverSpec('none', 'echo', { tools: { allow: ['no-such-tool'], deny: [] } }),
  ]);
  expect(await names(manager, 'echo')).toEqual(['echo', 'sleep']);
  await expect(call(manager, 'Tyme', 'echo')).rejects.toMatchObject({
    code: 'NotFoundError',
    message: 'server not found: Tyme',
  });
  // The patterns allow this name, so the missing tool is the server's error.
  await expect(call(manager, 'Echo', 'sleepless')).rejects.toMatchObject({
    code: 'NotFoundError',
    message: 'tool not found: echo/sleepless',
  });
  for (const tool of ['add', 'Nothing', 'sleep-until-cancelled', '']) {
    await expect(call(manager, 'Echo', tool)).rejects.toMatchObject({
      code: 'ForbiddenError',
      message: `tool not allowed: echo/${tool}`,
    });
  }
  await expect(manager.calls.listTools(callOf('None'))).rejects.toMatchObject({
    code: 'NotFoundError',
    message: 'tools not found: none',
  });
});

test('read-only mode allows only tools declared as read-only', async () => {
  const manager = start([serverSpec('echo', 'echo', { readOnly: true })]);
  expect(await names(manager, 'echo')).toEqual(READ_ONLY);
  await expect(call(manager, 'echo', 'is-error')).rejects.toThrow('tool not allowed: echo/is-error');
});

test('a caller can see and call only its allowed tools', async () => {
  const manager = start([serverSpec('echo', 'echo'), serverSpec('other', 'echo', { lazy: true })]);
  const caller: ToolCaller = {
    name: 'guest',
    admin: false,
    canUse: (server, tool) => server === 'echo' && (tool === undefined || tool === 'add'),
    canRead: () => true,
  };
  expect(manager.calls.servers(caller)).toEqual(['echo']);
  const tools = await manager.calls.listTools(callOf('echo', { caller }));
  expect(tools.map(({ name }) => name)).toEqual(['add']);
  const use = (server: string, tool: string) =>
    manager.calls.callTool({ ...callOf(server, { caller }), tool, args: { a: 1, b: 2 } });
  expect(await use('echo', 'ADD')).toEqual(text('3'));
  await expect(use('echo', 'echo')).rejects.toThrow('tool not allowed: echo/echo');
  // Callers cannot find out which disallowed tools exist.
  await expect(use('echo', 'nothing')).rejects.toThrow('tool not allowed: echo/nothing');
  await expect(use('other', 'add')).rejects.toMatchObject({
    code: 'ForbiddenError',
    message: 'server not allowed: other',
  });
  await expect(use('nobody', 'add')).rejects.toMatchObject({
    code: 'ForbiddenError',
    message: 'server not allowed: nobody',
  });
  expect(manager.server('other').status().phase).toBe('idle');
});

test('a read-only caller sees only tools declared as read-only', async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  const caller: ToolCaller = {
    name: 'reader',
    admin: false,
    readOnly: true,
    canUse: () => true,
    canRead: () => true,
  };
  const tools = await manager.calls.listTools(callOf('echo', { caller }));
  expect(tools.map(({ name }) => name)).toEqual(READ_ONLY);
  const use = (tool: string) =>
    manager.calls.callTool({ ...callOf('echo', { caller }), tool, args: { a: 1, b: 2 } });
  expect(await use('add')).toEqual(text('3'));
  await expect(use('nothing')).rejects.toThrow('tool not found: echo/nothing');
  await expect(use('is-error')).rejects.toThrow('tool not allowed: echo/is-error');
});

test('a result is returned unchanged, including a failure without text', async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  expect(await call(manager, 'echo', 'is-error-without-text')).toEqual({
    content: [],
    structuredContent: { reason: 'tired' },
    isError: true,
  });
  expect((await call(manager, 'echo', 'blocks')).content).toHaveLength(3);
});

test('a listed tool includes its title, full schema and metadata', async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  const tools = await manager.calls.listTools(callOf('echo'));
  expect(tools.find(({ name }) => name === 'add')).toMatchObject({ title: 'Adder' });
  expect(tools.find(({ name }) => name === 'schema')).toMatchObject({
    inputSchema: { $defs: { place: { type: 'object' } }, additionalProperties: false },
    _meta: { kept: true },
  });
});

test('an error from the server is reported as an upstream error with its cause', async () => {
  const manager = start([serverSpec('echo', 'echo'), serverSpec('crash', 'crash-on-call')]);
  const title = 'MCP server error calling tool';
  await expect(call(manager, 'echo', 'rpc-error')).rejects.toMatchObject({
    code: 'UpstreamError',
    message: title,
    details: [{ message: 'tool call failed: echo/rpc-error: The request failed.' }],
    cause: { code: -32_000, message: 'The request failed.', data: { hint: 'none' } },
  });
  await expect(call(manager, 'echo', 'rpc-error', { code: -32_602 })).rejects.toMatchObject({
    details: [{ message: 'tool call failed: echo/rpc-error: invalid params: The request failed.' }],
  });
  await expect(call(manager, 'crash', 'exit', { code: 7 })).rejects.toMatchObject({
    code: 'UpstreamError',
    message: title,
    details: [
      {
        message: expect.stringMatching(
          /^tool call failed: crash\/exit: transport error: .*exited with code 7/,
        ),
      },
    ],
  });
});

test('a server that does not respond in time causes a timeout', async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  await names(manager, 'echo');
  await manager.supervisor.apply([serverSpec('echo', 'echo', { timeouts: { request: 200 } })]);
  await expect(call(manager, 'echo', 'sleep-until-cancelled')).rejects.toMatchObject({
    code: 'TimeoutError',
    message: 'MCP server error calling tool',
    details: [
      {
        message: expect.stringContaining(
          'echo/sleep-until-cancelled: transport error: The server did not respond',
        ),
      },
    ],
  });
});

test('an oversized result is rejected', async () => {
  const manager = start([serverSpec('huge', 'huge-result')], { limits: { maxResultCharacters: 2_097_152 } });
  await expect(call(manager, 'huge', 'huge', { bytes: 3_000_000 })).rejects.toMatchObject({
    code: 'UpstreamError',
    details: [
      {
        message:
          'tool call failed: huge/huge: the result is larger than the maximum of 2.0 MiB (--max-result)',
      },
    ],
  });
  expect((await call(manager, 'huge', 'huge', { bytes: 2_000_000 })).content?.[0]?.text).toHaveLength(
    2_000_000,
  );
});

test('all pages of a list are read, up to a repeated cursor', async () => {
  const manager = start([
    serverSpec('pages', 'echo', { env: { PAGE_SIZE: '3' } }),
    serverSpec('again', 'repeating-cursors'),
  ]);
  const tools = await names(manager, 'pages');
  expect(tools.length).toBeGreaterThan(20);
  expect(tools).toContain('schema');
  expect(await names(manager, 'again')).toEqual(['again']);
});

test('the tool list is requested once', async () => {
  const manager = start([serverSpec('quiet', 'no-ping')]);
  await Promise.all([names(manager, 'quiet'), names(manager, 'quiet')]);
  const before = listings(manager, 'quiet');
  await Promise.all(Array.from({ length: 5 }, () => names(manager, 'quiet')));
  expect(listings(manager, 'quiet')).toBe(before);
});

test('a caller that disconnects during a list request stops waiting, and other callers still get the list', async () => {
  const go = join(folder(), 'go');
  const manager = start([serverSpec('slow', 'slow-init', { env: { WAIT_FOR: go } })]);
  const leaving = new AbortController();
  const left = manager.calls.listTools(callOf('slow', { signal: leaving.signal }));
  const stays = manager.calls.listTools(callOf('slow'));
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'CancelledError' });
  writeFileSync(go, '');
  expect((await stays).map(({ name }) => name)).toEqual(['echo']);
});
