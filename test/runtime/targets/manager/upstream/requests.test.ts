import { expect, test } from 'vitest';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import { openFixture, PATIENCE, textOf } from './open-recorded.ts';

const toolCall = (name: string, args: ShapeOfParams = {}): ShapeOfParams => ({ name, arguments: args });

test('concurrent requests each get their own response', async () => {
  const { text } = await openFixture('echo.mjs');
  const messages = Array.from({ length: 500 }, (_, at) => `message ${at}`);
  expect(await Promise.all(messages.map((message) => text('echo', { message })))).toEqual(messages);
});

test('a server error keeps its code, message and data', async () => {
  const { call } = await openFixture('echo.mjs');
  await expect(call('rpc-error', { code: -32_099 })).rejects.toMatchObject({
    name: 'RpcFailure',
    code: -32_099,
    message: 'The request failed.',
    data: { hint: 'none' },
  });
});

test('a request that times out is canceled on the server', async () => {
  const { connection, logged } = await openFixture('echo.mjs');
  const waiting = connection.request('tools/call', toolCall('sleep-until-cancelled'), { timeoutMs: 100 });
  await expect(waiting).rejects.toMatchObject({
    name: 'TimeoutFailure',
    message: 'The server did not respond to tools/call within 100 ms.',
  });
  expect(await logged(/^cancelled/)).toMatch(/^cancelled \d+: The server did not respond/);
});

test('a request is canceled on the server when its caller disconnects', async () => {
  const { connection, logged } = await openFixture('echo.mjs');
  const leave = new AbortController();
  const waiting = connection.request('tools/call', toolCall('sleep-until-cancelled'), {
    ...PATIENCE,
    signal: leave.signal,
  });
  await logged(/^sleeping/);
  leave.abort(new Error('gone to lunch'));
  await expect(waiting).rejects.toThrow('gone to lunch');
  expect(await logged(/^cancelled/)).toMatch(/: gone to lunch$/);
  const late = connection.request('ping', undefined, { ...PATIENCE, signal: leave.signal });
  await expect(late).rejects.toThrow('gone to lunch');
});

test('`initialize` is never canceled', async () => {
  const { openConnection } = await import('#manager/upstream/open-connection.ts');
  const { specOf } = await import('./spec.ts');
  const launch = { kind: 'process', command: 'sh', args: ['-c', 'cat >&2'], env: {} } as const;
  const sent: string[] = [];
  const opening = openConnection(specOf(launch, { init: 1000 }), {
    onLog: (line) => sent.push(line),
    onNotification: () => undefined,
  });
  await expect(opening).rejects.toThrow('did not start within');
  expect(sent.map((line) => (JSON.parse(line) as { method: string }).method)).toEqual(['initialize']);
});

test('a late response is ignored', async () => {
  const { connection, call, text } = await openFixture('echo.mjs');
  const hold = connection.request('tools/call', toolCall('hold', { key: 'late' }), { timeoutMs: 50 });
  await expect(hold).rejects.toThrow('did not respond');
  expect(textOf(await call('release', { key: 'late' }))).toBe('1');
  expect(await text('echo', { message: 'next' })).toBe('next');
});

test('progress is passed on in order', async () => {
  const { connection } = await openFixture('echo.mjs');
  const reports: ShapeOfParams[] = [];
  const result = await connection.request('tools/call', toolCall('progress', { steps: 3 }), {
    ...PATIENCE,
    onProgress: (report) => reports.push(report),
  });
  expect(textOf(result)).toBe('3 steps');
  expect(reports.map(({ progress, message }) => [progress, message])).toEqual([
    [1, 'step 1'],
    [2, 'step 2'],
    [3, 'step 3'],
  ]);
  const unasked = await connection.request('tools/call', toolCall('progress', { steps: 3 }), PATIENCE);
  expect(textOf(unasked)).toBe('nobody asked');
});

test("the progress token is added to the caller's `_meta` without changing its other members", async () => {
  const { connection } = await openFixture('echo.mjs');
  const params = { ...toolCall('meta'), _meta: { trace: 'abc' } };
  const result = await connection.request('tools/call', params, { ...PATIENCE, onProgress: () => undefined });
  expect(JSON.parse(textOf(result))).toEqual({ trace: 'abc', progressToken: expect.any(Number) });
  expect(params._meta).toEqual({ trace: 'abc' });
});

test("a progress notification restarts the request's timeout", async () => {
  const { connection, call } = await openFixture('echo.mjs');
  let reported = 0;
  const from = performance.now();
  const waiting = connection.request('tools/call', toolCall('report-every', { ms: 500, times: 4 }), {
    timeoutMs: 1900,
    onProgress: () => (reported += 1),
  });
  expect(textOf(await waiting)).toBe('reported');
  expect(reported).toBe(4);
  expect(performance.now() - from).toBeGreaterThan(1900);
  await call('echo', { message: 'still there' });
});

test('a ping from the server gets a response', async () => {
  const { text } = await openFixture('echo.mjs');
  expect(JSON.parse(await text('ask', { method: 'ping' }))).toMatchObject({ result: {} });
});

test('any other server request is rejected', async () => {
  const { text } = await openFixture('echo.mjs');
  for (const method of ['roots/list', 'sampling/createMessage', 'elicitation/create']) {
    const answer = JSON.parse(await text('ask', { method })) as ShapeOfParams;
    expect(answer['error']).toMatchObject({ code: -32_601, message: expect.stringContaining(method) });
  }
});

test('server notifications are passed on', async () => {
  const { call, notified } = await openFixture('echo.mjs');
  await call('list-changed', { list: 'prompts' });
  expect(await notified('notifications/prompts/list_changed')).toMatchObject({ params: undefined });
});
