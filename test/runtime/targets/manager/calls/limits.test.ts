import { expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { callOf, type TestManager, useManager } from '../use-manager.ts';

const start = useManager();
const hold = ({ calls }: TestManager, key: string, signal?: AbortSignal) =>
  calls.callTool({ ...callOf('echo', { signal }), tool: 'hold', args: { key } });

/** Releases held calls, bypassing the queue for all other calls. */
async function release({ server }: TestManager, key: string): Promise<void> {
  const connection = await server('echo').connection({ timeoutMs: 20_000 });
  await connection.request('tools/call', { name: 'release', arguments: { key } }, { timeoutMs: 20_000 });
}

test('calls run concurrently up to the concurrency limit, wait in order up to the queue limit, and are rejected beyond it', async () => {
  const manager = start([serverSpec('echo', 'echo', { concurrency: 1, queue: 2 })]);
  await manager.calls.listTools(callOf('echo'));
  const done: string[] = [];
  const calls = ['a', 'b', 'c'].map(async (key) => {
    await hold(manager, key);
    done.push(key);
  });
  expect(manager.server('echo').status()).toMatchObject({ running: 1, queued: 2 });
  await expect(hold(manager, 'd')).rejects.toMatchObject({ code: 'OverloadedError', retryAfterSeconds: 1 });
  for (const key of ['a', 'b', 'c']) {
    await manager.logged('echo', new RegExp(`holding ${key}`));
    await release(manager, key);
  }
  await Promise.all(calls);
  expect(done).toEqual(['a', 'b', 'c']);
  expect(manager.server('echo').status()).toMatchObject({ running: 0, queued: 0 });
});

test('a client that disconnects while queued is removed, and the server never receives the call', async () => {
  const manager = start([serverSpec('echo', 'echo', { concurrency: 1, queue: 2 })]);
  const first = hold(manager, 'a');
  await manager.logged('echo', /holding a/);
  const leaving = new AbortController();
  const second = hold(manager, 'left', leaving.signal);
  const third = hold(manager, 'c');
  leaving.abort();
  await expect(second).rejects.toMatchObject({ code: 'CancelledError' });
  expect(manager.server('echo').status()).toMatchObject({ running: 1, queued: 1 });
  await release(manager, 'a');
  await manager.logged('echo', /holding c/);
  await release(manager, 'c');
  await Promise.all([first, third]);
  const said = manager
    .server('echo')
    .logs.last(Infinity)
    .map(({ text }) => text);
  expect(said.filter((line) => line.startsWith('holding'))).toEqual(['holding a', 'holding c']);
});

test('the time in the queue counts toward the timeout', async () => {
  const spec = serverSpec('echo', 'echo', { concurrency: 1, queue: 2 });
  const manager = start([spec]);
  await manager.calls.listTools(callOf('echo'));
  await manager.supervisor.apply([{ ...spec, timeouts: { ...spec.timeouts, request: 200 } }]);
  const [first, second] = await Promise.allSettled([hold(manager, 'a'), hold(manager, 'b')]);
  expect(first).toMatchObject({ reason: { code: 'TimeoutError' } });
  expect(second).toMatchObject({ reason: { code: 'TimeoutError' } });
});

test('a call is canceled on the server when its caller disconnects or it times out', async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  await manager.calls.listTools(callOf('echo'));
  const sleep = (signal?: AbortSignal) =>
    manager.calls.callTool({ ...callOf('echo', { signal }), tool: 'sleep-until-cancelled', args: {} });
  const leaving = new AbortController();
  const left = sleep(leaving.signal);
  const [, id] = /sleeping (.+)/.exec(await manager.logged('echo', /^sleeping/)) ?? [];
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'CancelledError' });
  await manager.logged('echo', new RegExp(`cancelled ${id}:`));

  await manager.supervisor.apply([serverSpec('echo', 'echo', { timeouts: { request: 200 } })]);
  await expect(sleep()).rejects.toMatchObject({ code: 'TimeoutError' });
  await manager.logged('echo', /cancelled .*did not respond/);
});

test("a finished call leaves no listener on its caller's abort signal", async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  const { signal } = new AbortController();
  const warnings: string[] = [];
  const warn = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', warn);
  for (let call = 0; call < 30; call += 1) {
    await manager.calls.callTool({ ...callOf('echo', { signal }), tool: 'echo', args: { message: 'm' } });
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

test('progress notifications are sent to the caller', async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  const steps: unknown[] = [];
  const onProgress = ({ progress }: Readonly<Record<string, unknown>>): void => void steps.push(progress);
  await manager.calls.callTool({ ...callOf('echo', { onProgress }), tool: 'progress', args: { steps: 3 } });
  expect(steps).toEqual([1, 2, 3]);
});
