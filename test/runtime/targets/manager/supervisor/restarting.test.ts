import { symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RESTART_POLICY } from '#core/limits/restart-policy.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { keepCalling } from '../keep-calling.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const folder = useTempFolder();
const start = useManager();
const say = (server: string, message = 'hello') => ({ ...callOf(server), tool: 'echo', args: { message } });
const exit = (server: string) => ({ ...callOf(server), tool: 'exit', args: {} });

test('a server killed under load runs again within two seconds, every call gets a response, and other servers are not affected', async () => {
  const manager = start([serverSpec('victim', 'echo'), serverSpec('other', 'echo')]);
  const victim = keepCalling(manager, 'victim', 16);
  const other = keepCalling(manager, 'other', 4);
  await Promise.all([victim.more(200), other.more(50)]);
  const before = manager.server('victim').status();
  const killedAt = performance.now();
  process.kill(before.pid ?? 0, 'SIGKILL');
  await manager.logged('victim', /SIGKILL/);
  await victim.more(1);
  // The documented limit is two seconds; a busy test machine gets more.
  expect(performance.now() - killedAt).toBeLessThan(10_000);
  await victim.more(200);
  await Promise.all([victim.stop(), other.stop()]);

  const after = manager.server('victim').status();
  expect(after.pid).not.toBe(before.pid);
  expect(after).toMatchObject({ phase: 'running', restarts: 1 });
  expect(after.reason).toContain('SIGKILL');
  // Only the calls in progress are lost, with an error.
  expect(victim.answers.refused.length).toBeLessThanOrEqual(16);
  for (const error of victim.answers.refused) expect(error).toMatchObject({ code: 'UpstreamError' });
  expect(other.answers.refused).toEqual([]);
  expect(manager.server('other').status().restarts).toBe(0);
});

test('a server that fails to start is retried with increasing delays, and after ten failures in five minutes or on a requested restart', async () => {
  const clock = handClock();
  const manager = start([serverSpec('dies', 'exits-at-start')], { clock });
  const server = manager.server('dies');
  const waits: number[] = [];
  for (let failure = 1; failure < RESTART_POLICY.crashLoopFailures; failure += 1) {
    await manager.phase('dies', 'waiting');
    waits.push((server.status().nextStartAt ?? 0) - clock.now());
    clock.pass(waits.at(-1) ?? 0);
  }
  expect(waits).toEqual([50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800]);
  await manager.phase('dies', 'failed');
  expect(server.status()).toMatchObject({ restarts: 9, nextStartAt: clock.now() + 300_000 });
  expect(server.health().status).toBe('unreachable');
  await expect(manager.calls.callTool(say('dies'))).rejects.toMatchObject({ retryAfterSeconds: 300 });

  await expect(server.restart()).rejects.toMatchObject({ code: 'UnavailableError' });
  expect(server.status().phase).toBe('waiting');
});

test('a server that crashes after it ran for a while is restarted immediately, and the next call gets its response', async () => {
  const clock = handClock();
  const manager = start([serverSpec('crash', 'crash-on-call')], { clock });
  await manager.phase('crash', 'running');
  clock.pass(RESTART_POLICY.healthyAfter);
  await expect(manager.calls.callTool(exit('crash'))).rejects.toMatchObject({ code: 'UpstreamError' });
  expect((await manager.calls.callTool(say('crash'))).content).toEqual([{ type: 'text', text: 'hello' }]);
  expect(manager.server('crash').status()).toMatchObject({ restarts: 1 });
});

test('a call waits for a server that has just crashed', async () => {
  const clock = handClock();
  const manager = start([serverSpec('crash', 'crash-on-call')], { clock });
  await expect(manager.calls.callTool(exit('crash'))).rejects.toThrow('MCP server error calling tool');
  await manager.phase('crash', 'waiting');
  const call = manager.calls.callTool(say('crash'));
  clock.pass(50);
  expect((await call).content).toEqual([{ type: 'text', text: 'hello' }]);
});

test('a lazy server that exited is started only when it is needed', async () => {
  const clock = handClock();
  const manager = start([serverSpec('crash', 'crash-on-call', { lazy: true })], { clock });
  await expect(manager.calls.callTool(exit('crash'))).rejects.toThrow('MCP server error calling tool');
  await manager.phase('crash', 'waiting');
  clock.pass(50);
  expect(manager.server('crash').status()).toMatchObject({ phase: 'idle', restarts: 0 });
  expect((await manager.calls.callTool(say('crash'))).content).toEqual([{ type: 'text', text: 'hello' }]);
});

test('a requested restart loses no calls, and the old process finishes its calls after the new process has taken over', async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  const held = manager.calls.callTool({ ...callOf('echo'), tool: 'hold', args: { key: 'k' } });
  await manager.logged('echo', /holding k/);
  const server = manager.server('echo');
  const old = await server.connection({ timeoutMs: 20_000 });
  const load = keepCalling(manager, 'echo', 4);
  await load.more(20);
  await Promise.all([server.restart(), server.restart()]);
  await load.more(20);
  await load.stop();
  expect(load.answers.refused).toEqual([]);
  expect(server.status().pid).not.toBe(old.pid);
  expect(server.status().restarts).toBe(1);
  await old.request('tools/call', { name: 'release', arguments: { key: 'k' } }, { timeoutMs: 20_000 });
  expect((await held).content).toEqual([{ type: 'text', text: 'released' }]);
  expect(await old.closed).toMatchObject({ expected: true });
});

test('closing does not wait for a new process that never becomes ready', async () => {
  const go = join(folder(), 'go');
  writeFileSync(go, '');
  const manager = start([serverSpec('slow', 'slow-init', { env: { WAIT_FOR: go } })]);
  await manager.phase('slow', 'running');
  unlinkSync(go);
  const restarting = manager.server('slow').restart();
  await Promise.all([
    expect(restarting).rejects.toMatchObject({ code: 'UpstreamError' }),
    manager.supervisor.close(),
  ]);
});

test('if a restart fails, the server keeps running, and a restart starts a lazy server', async () => {
  const go = join(folder(), 'program');
  symlinkSync(process.execPath, go);
  const manager = start([
    serverSpec('gone', 'echo', { command: go }),
    serverSpec('lazy', 'echo', { lazy: true }),
  ]);
  await manager.phase('gone', 'running');
  const { pid } = manager.server('gone').status();
  unlinkSync(go);
  await expect(manager.server('gone').restart()).rejects.toThrow(
    /^Server gone was not restarted and keeps running: .*does not exist/,
  );
  expect(manager.server('gone').status()).toMatchObject({ pid, phase: 'running', restarts: 0 });
  await manager.server('lazy').restart();
  expect(manager.server('lazy').status().phase).toBe('running');
});
