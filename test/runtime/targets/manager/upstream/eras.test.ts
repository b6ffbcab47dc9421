import { expect, test } from 'vitest';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import { openFixture, openRecorded, PATIENCE, textOf } from './open-recorded.ts';
import { remoteLaunch, startRemote } from './remote-fixture.ts';
import { specOf } from './spec.ts';

const call = (name: string, args: ShapeOfParams = {}): ShapeOfParams => ({ name, arguments: args });

test('older supported revisions are accepted', async () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const { connection, text } = await openFixture('echo.mjs', { PROTOCOL_VERSION: version });
    expect(connection.peer.protocolVersion).toBe(version);
    expect(await text('echo', { message: version })).toBe(version);
  }
});

test('an unknown revision is rejected', async () => {
  await expect(openFixture('echo.mjs', { PROTOCOL_VERSION: '1999-01-01' })).rejects.toThrow(
    'The server uses the unsupported MCP version 1999-01-01. Supported versions: 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05.',
  );
});

test('a server that supports only revision 2026-07-28 can be started, checked and called', async () => {
  const { connection, text } = await openFixture('modern-only.mjs');
  expect(connection.peer).toMatchObject({
    protocolVersion: '2026-07-28',
    name: 'modern-only',
    version: '1.2.3',
    instructions: 'Call the tools of modern-only.',
  });
  expect(await connection.check(20_000)).toBeGreaterThan(0);
  expect(JSON.parse(await text('echo', { message: 'hi' }))).toEqual({ message: 'hi' });
  const listed = await connection.request('tools/list', undefined, PATIENCE);
  expect(listed['tools']).toHaveLength(7);
  expect(listed).not.toHaveProperty('resultType');
});

test('2026-07-28: progress and cancellation are supported', async () => {
  const { connection, logged } = await openFixture('modern-only.mjs');
  const steps: unknown[] = [];
  const result = await connection.request('tools/call', call('progress'), {
    ...PATIENCE,
    onProgress: ({ progress }) => steps.push(progress),
  });
  expect(textOf(result)).toBe('done');
  expect(steps).toEqual([1, 2, 3]);

  const leave = new AbortController();
  const waiting = connection.request('tools/call', call('wait'), { ...PATIENCE, signal: leave.signal });
  await logged(/^waiting$/);
  leave.abort();
  await expect(waiting).rejects.toThrow(/aborted/);
  await logged(/^cancelled$/);
});

test('2026-07-28: list changes are received, and the confirmation of the subscription is not reported as a change', async () => {
  const { text, notified, notifications } = await openFixture('modern-only.mjs');
  await text('list-changed');
  await notified('notifications/tools/list_changed');
  expect(notifications.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
});

const openRemote = async () => {
  const { url } = await startRemote('modern-only-http.mjs');
  return openRecorded(specOf(remoteLaunch(url)));
};

test.each([
  ['stdio', () => openFixture('modern-only.mjs')],
  ['HTTP', openRemote],
])('2026-07-28 over %s: the log level is sent with each request', async (_way, open) => {
  const { connection, notifications } = await open();
  const logged = async (params?: ShapeOfParams): Promise<unknown[]> => {
    const before = notifications.length;
    await connection.request('tools/call', { ...call('log'), ...params }, PATIENCE);
    return notifications.slice(before).map((one) => one.params?.['data']);
  };
  expect(await logged()).toEqual([]);
  expect(await connection.request('logging/setLevel', { level: 'info' }, PATIENCE)).toEqual({});
  expect(await logged()).toEqual(['info of it', 'error of it']);
  await connection.request('logging/setLevel', { level: 'debug' }, PATIENCE);
  // The connection uses the lowest level that any client requested.
  const _meta = { 'io.modelcontextprotocol/logLevel': 'error' };
  expect(await logged({ _meta })).toEqual(['debug of it', 'info of it', 'error of it']);
});

test('2026-07-28: a tool call that requires input from a user is rejected', async () => {
  const { connection } = await openFixture('modern-only.mjs');
  await expect(connection.request('tools/call', call('ask-user'), PATIENCE)).rejects.toMatchObject({
    name: 'RpcFailure',
  });
});
