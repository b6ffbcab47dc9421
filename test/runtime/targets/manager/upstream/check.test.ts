import { expect, test } from 'vitest';
import { openFixture } from './open-recorded.ts';

test('a health check sends a ping and returns its duration in nanoseconds', async () => {
  const { connection } = await openFixture('echo.mjs');
  const from = process.hrtime.bigint();
  const took = await connection.check(20_000);
  expect(Number.isInteger(took)).toBe(true);
  expect(took).toBeGreaterThan(1000);
  expect(took).toBeLessThan(Number(process.hrtime.bigint() - from));
});

test('a server without ping support is checked with tools/list from then on', async () => {
  const { connection, logs, logged } = await openFixture('no-ping.mjs');
  await connection.check(20_000);
  await connection.check(20_000);
  await logged(/^tools\/list$/);
  await expect.poll(() => logs).toEqual(['ping', 'tools/list', 'tools/list']);
});

test('a server without ping and tools is healthy if it responds', async () => {
  const { connection, logs } = await openFixture('no-ping.mjs', { NO_TOOLS: '1' });
  expect(await connection.check(20_000)).toBeGreaterThan(0);
  expect(await connection.check(20_000)).toBeGreaterThan(0);
  await expect.poll(() => logs).toEqual(['ping', 'ping']);
});

test('a check times out if the server hangs, and fails immediately if the server has stopped', async () => {
  const { connection } = await openFixture('echo.mjs');
  process.kill(connection.pid ?? 0, 'SIGSTOP');
  await expect(connection.check(100)).rejects.toMatchObject({ name: 'TimeoutFailure' });
  process.kill(connection.pid ?? 0, 'SIGKILL');
  await connection.closed;
  await expect(connection.check(20_000)).rejects.toMatchObject({ name: 'ConnectionClosed' });
});
