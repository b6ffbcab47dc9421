import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import { createPackageInstaller } from '#manager/upstream/packages/package-installer.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const folder = useTempFolder();
const start = useManager();
const say = (server: string) => ({ ...callOf(server), tool: 'echo', args: { message: 'hello' } });

test('slow or failing servers do not block other servers', async () => {
  const file = join(folder(), 'go');
  const manager = start(
    [
      serverSpec('slow', 'slow-init', { env: { WAIT_FOR: file } }),
      serverSpec('gone', 'echo', { command: join(folder(), 'no-such-program') }),
      serverSpec('dies', 'exits-at-start'),
      serverSpec('echo', 'echo'),
    ],
    { clock: handClock() },
  );
  expect(manager.supervisor.names()).toEqual(['dies', 'echo', 'gone', 'slow']);
  expect(await manager.calls.callTool(say('echo'))).toEqual({ content: [{ type: 'text', text: 'hello' }] });
  await Promise.all([manager.phase('gone', 'waiting'), manager.phase('dies', 'waiting')]);
  expect(manager.server('gone').health().status).toBe('unreachable');
  expect(manager.server('gone').status().reason).toContain('no-such-program');
  expect(manager.server('dies').status().reason).toContain('no license file found');
  expect(manager.server('slow').status().phase).toBe('starting');
  expect(manager.server('slow').health().status).toBe('unknown');

  const call = manager.calls.callTool(say('slow'));
  writeFileSync(file, '');
  expect(await call).toEqual({ content: [{ type: 'text', text: 'hello' }] });
});

test('the status reason shows installation progress, and then the last failure', async () => {
  const clock = handClock();
  const go = join(folder(), 'installed');
  const wait = `(function look() { if (!require('node:fs').existsSync(process.argv[1])) setTimeout(look, 20); })()`;
  const spec = serverSpec('dies', 'exits-at-start');
  const installation = {
    label: 'npx::dies@1.0.0',
    command: { command: process.execPath, args: ['-e', wait, go] },
    isExact: false,
  };
  const launch = { ...spec.launch, installation } as ServerSpec['launch'];
  const installer = createPackageInstaller({ clock: systemClock, env: {} });
  onTestFinished(() => installer.close());
  const manager = start([{ ...spec, launch }], { clock, installer });
  const status = () => manager.server('dies').status();
  await manager.phase('dies', 'installing');
  expect(status().reason).toBe('installing npx::dies@1.0.0');
  writeFileSync(go, '');
  await manager.phase('dies', 'waiting');
  const { reason, reasonLines } = status();
  expect(reason).toContain('no license file found');

  rmSync(go);
  clock.pass(60_000);
  await manager.phase('dies', 'installing');
  expect(status().reason).toBe('installing npx::dies@1.0.0');
  writeFileSync(go, '');
  await manager.phase('dies', 'starting');
  expect(status()).toMatchObject({ reason, reasonLines });
});

test('a call to a server that failed to start gets an error with a retry delay', async () => {
  const clock = handClock();
  const manager = start([serverSpec('dies', 'exits-at-start')], { clock });
  const early = manager.calls.callTool(say('dies'));
  const refused = { code: 'UnavailableError', retryAfterSeconds: 1 };
  await expect(early).rejects.toMatchObject(refused);
  await expect(early).rejects.toThrow(/^server not available: dies: failed to start: .*exited with code 3/);
  await expect(manager.calls.callTool(say('dies'))).rejects.toMatchObject(refused);
});

test('names match in any case and with surrounding spaces', () => {
  const { supervisor } = start([serverSpec('time', 'echo', { lazy: true })]);
  expect(supervisor.get(' Time ')?.name).toBe('time');
  expect(supervisor.get('clock')).toBeUndefined();
});

test('a lazy server is started by its first call and stopped when idle', async () => {
  const clock = handClock();
  const manager = start([serverSpec('lazy', 'echo', { lazy: true, idleMs: 60_000 })], { clock });
  const lazy = manager.server('lazy');
  expect(lazy.status()).toMatchObject({ phase: 'idle', pid: undefined });
  expect(lazy.health().status).toBe('unknown');

  await manager.calls.callTool(say('lazy'));
  expect(lazy.status().phase).toBe('running');
  clock.pass(59_000);
  await manager.calls.callTool(say('lazy'));
  clock.pass(2000);
  expect(lazy.status().phase).toBe('running');

  const held = manager.calls.callTool({ ...callOf('lazy'), tool: 'hold', args: { key: 'k' } });
  await manager.logged('lazy', /holding k/);
  clock.pass(180_000);
  expect(lazy.status().phase).toBe('running');
  await manager.calls.callTool({ ...callOf('lazy'), tool: 'release', args: { key: 'k' } });
  await held;

  clock.pass(120_000);
  // The lists are requested once more before the server stops.
  await manager.phase('lazy', 'idle');
  expect(lazy.status().pid).toBeUndefined();
  expect(lazy.health().status).toBe('unknown');
  expect(await manager.calls.callTool(say('lazy'))).toEqual({ content: [{ type: 'text', text: 'hello' }] });
});

test('a caller that disconnects does not wait for a starting server', async () => {
  const manager = start([serverSpec('silent', 'silent')]);
  const leaving = new AbortController();
  const call = manager.calls.callTool({ ...say('silent'), signal: leaving.signal });
  leaving.abort();
  await expect(call).rejects.toMatchObject({ code: 'CancelledError' });
});

test('closing stops starting, running and waiting servers', async () => {
  const manager = start([
    serverSpec('silent', 'silent'),
    serverSpec('echo', 'echo'),
    serverSpec('dies', 'exits-at-start'),
  ]);
  await Promise.all([manager.phase('echo', 'running'), manager.phase('dies', 'waiting')]);
  const { pid } = manager.server('echo').status();
  const call = manager.calls.callTool(say('silent'));
  const [answer] = await Promise.allSettled([call, manager.supervisor.close()]);
  expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'UnavailableError' } });
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test('a server started by a reload uses no CPU time after it has exited', async () => {
  const clock = handClock();
  const manager = start([], { clock });
  await manager.supervisor.apply([serverSpec('crash', 'crash-on-call')]);
  const call = manager.calls.callTool({ ...callOf('crash'), tool: 'exit', args: {} });
  await expect(call).rejects.toMatchObject({ code: 'UpstreamError' });
  await manager.phase('crash', 'waiting');
  const before = performance.eventLoopUtilization();
  await sleep(200);
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  // Its next start, and its next health check.
  expect(clock.waiting()).toHaveLength(2);
});
