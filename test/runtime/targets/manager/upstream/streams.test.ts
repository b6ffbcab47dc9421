import { expect, test } from 'vitest';
import { openFixture, openRecorded } from './open-recorded.ts';
import { isAlive } from './processes.ts';
import { launchOf, specOf } from './spec.ts';

const MEBIBYTE = 1_048_576;

test('stderr is read as long as the server runs', async () => {
  const { text, logs } = await openFixture('stderr-flood.mjs');
  expect(await text('flood', { bytes: MEBIBYTE })).toBe(String(MEBIBYTE));
  expect(await text('flood', { bytes: MEBIBYTE })).toBe(String(MEBIBYTE));
  expect(logs.join('\n').length).toBeGreaterThan(2 * MEBIBYTE);
});

test('a flood on stderr neither blocks the server nor fills memory', async () => {
  const { openConnection } = await import('#manager/upstream/open-connection.ts');
  let bytes = 0;
  const connection = await openConnection(specOf(launchOf('stderr-flood.mjs')), {
    onLog: (line) => (bytes += line.length + 1),
    onNotification: () => undefined,
  });
  const before = process.memoryUsage.rss();
  const params = { name: 'flood', arguments: { bytes: 100 * MEBIBYTE } };
  await connection.request('tools/call', params, { timeoutMs: 60_000 });
  await connection.close();
  expect(bytes).toBeGreaterThanOrEqual(100 * MEBIBYTE);
  expect(process.memoryUsage.rss() - before).toBeLessThan(80 * MEBIBYTE);
});

test('long stderr lines are truncated, and invalid UTF-8 is replaced', async () => {
  const { text, logged } = await openFixture('stderr-flood.mjs');
  await text('long-line', { bytes: MEBIBYTE });
  const line = await logged(/^\uFFFD\uFFFDx/);
  expect(line.length).toBe(8192);
});

test('stdout output that is not a message is logged', async () => {
  const { text, logs } = await openFixture('invalid-json.mjs');
  expect(await text('echo', { message: 'one' })).toBe('one');
  expect(await text('strangers')).toBe('fine');
  expect(await text('echo', { message: 'two' })).toBe('two');
  const told = [
    'stdout: null',
    'stdout: 42',
    'stdout: []',
    'stdout: {"neither": "nor"}',
    'stdout: {"jsonrpc":"2.0","id":7',
  ];
  expect(logs).toEqual([
    'stdout: Starting up, please wait ...',
    'stdout: {"jsonrpc": "2.0", "id": 1, "result": {',
    ...told,
    ...told,
  ]);
});

test('a batch is split into its messages', async () => {
  const { text, notified } = await openFixture('echo.mjs');
  expect(await text('batch')).toBe('batched');
  expect((await notified('notifications/message')).params).toEqual({ level: 'info', data: 'batched' });
});

test('a very large result arrives complete', async () => {
  const { text } = await openFixture('huge-result.mjs');
  const bytes = 32 * MEBIBYTE;
  expect((await text('huge', { bytes })).length).toBe(bytes);
});

test('an oversized result fails only its own call, and the server keeps running', async () => {
  const { call, text, connection } = await openRecorded(specOf(launchOf('huge-result.mjs')), {
    maxResultCharacters: MEBIBYTE,
  });
  const [small, ...large] = await Promise.allSettled([
    text('echo', { message: 'small' }),
    ...Array.from({ length: 4 }, () => call('huge', { bytes: 30 * MEBIBYTE })),
  ]);
  expect(small).toEqual({ status: 'fulfilled', value: 'small' });
  expect(large.map((one) => 'reason' in one && String(one.reason))).toEqual(
    Array.from(
      large,
      () => 'ResultTooLarge: the result is larger than the maximum of 1.0 MiB (--max-result)',
    ),
  );
  expect(await text('echo', { message: 'after' })).toBe('after');
  expect(isAlive(connection.pid ?? 0)).toBe(true);
});

test('a message without an end closes the connection instead of filling memory', async () => {
  const { connection, call } = await openFixture('huge-result.mjs');
  const before = process.memoryUsage().arrayBuffers;
  await expect(call('endless')).rejects.toThrow(
    'The server sent a message larger than the maximum of 67108864 bytes.',
  );
  await connection.closed;
  expect(isAlive(connection.pid ?? 0)).toBe(false);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(160 * MEBIBYTE);
});

test('a server that does not read its stdin is stopped before pending messages fill memory', async () => {
  const { connection, call } = await openRecorded(specOf(launchOf('echo.mjs')));
  process.kill(connection.pid ?? 0, 'SIGSTOP');
  const message = 'x'.repeat(16 * MEBIBYTE);
  const calls = Array.from({ length: 6 }, () => call('echo', { message }));
  const results = await Promise.allSettled(calls);
  expect(results.map(({ status }) => status)).toEqual(Array.from(results, () => 'rejected'));
  expect((await connection.closed).message).toBe('The server does not read its stdin.');
  expect(isAlive(connection.pid ?? 0)).toBe(false);
});
