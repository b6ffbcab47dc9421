import { expect, test } from 'vitest';
import type { Health, HealthStatus, ManagedServer } from '#manager/supervisor/managed-server.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const start = useManager();

/** Polls until a check has this result; checks of real servers take a moment. */
async function healthOf(server: ManagedServer, fits: (health: Health) => boolean): Promise<Health> {
  while (!fits(server.health())) await new Promise((resolve) => setImmediate(resolve));
  return server.health();
}
const withStatus = (status: HealthStatus) => (health: Health) => health.status === status;

test('health is unknown until the server has started, and is then checked immediately and at regular intervals', async () => {
  const clock = handClock();
  const manager = start([serverSpec('echo', 'echo')], { clock });
  const server = manager.server('echo');
  expect(server.health()).toEqual({
    status: 'unknown',
    lastChecked: undefined,
    lastSuccessful: undefined,
    latencyNs: undefined,
  });
  const first = await healthOf(server, withStatus('ok'));
  expect(first).toMatchObject({ lastChecked: clock.now(), lastSuccessful: clock.now() });
  expect(first.latencyNs).toBeGreaterThan(0);
  clock.pass(10_000);
  const second = await healthOf(server, ({ lastChecked }) => lastChecked !== first.lastChecked);
  expect(second).toMatchObject({ status: 'ok', lastChecked: 1_010_000, lastSuccessful: 1_010_000 });
});

test('a server that exits is unreachable immediately, and its last success is kept', async () => {
  const clock = handClock();
  const manager = start([serverSpec('crash', 'crash-on-call')], { clock });
  const server = manager.server('crash');
  const { lastSuccessful } = await healthOf(server, withStatus('ok'));
  clock.pass(1000);
  const call = manager.calls.callTool({ ...callOf('crash'), tool: 'exit', args: {} });
  await expect(call).rejects.toMatchObject({ code: 'UpstreamError' });
  await manager.phase('crash', 'waiting');
  expect(server.health()).toEqual({
    status: 'unreachable',
    lastChecked: clock.now(),
    lastSuccessful,
    latencyNs: undefined,
  });
  clock.pass(50);
  expect(await healthOf(server, withStatus('ok'))).toMatchObject({ lastSuccessful: clock.now() });
});

test('a frozen server has the status "timeout" and is replaced after three failed checks', async () => {
  const clock = handClock();
  const spec = serverSpec('echo', 'echo', { timeouts: { shutdown: 300, request: 15_000 } });
  const settings = { healthMs: 20_000, healthIntervalMs: 10_000 };
  const manager = start([spec], { clock, settings });
  const server = manager.server('echo');
  await healthOf(server, withStatus('ok'));
  const { pid = 0 } = server.status();
  process.kill(pid, 'SIGSTOP');
  // The server would never respond, so the test does not need to wait.
  settings.healthMs = 20;
  const statuses: HealthStatus[] = [];
  for (let check = 1; check <= 3; check += 1) {
    clock.pass(10_000);
    const checkedAt = clock.now();
    await healthOf(server, ({ lastChecked }) => lastChecked === checkedAt);
    statuses.push(server.health().status);
  }
  settings.healthMs = 20_000;
  // After the third failed check it is replaced.
  expect(statuses).toEqual(['timeout', 'timeout', 'unreachable']);
  await manager.logged('echo', /stopped responding; restarting now/);
  await healthOf(server, withStatus('ok'));
  expect(server.status()).toMatchObject({ phase: 'running', restarts: 1 });
  expect(server.status().pid).not.toBe(pid);
});

test('a server that is silent for less than the request timeout is not replaced', async () => {
  const clock = handClock();
  const spec = serverSpec('echo', 'echo', { timeouts: { shutdown: 300, request: 60_000 } });
  const settings = { healthMs: 20_000, healthIntervalMs: 10_000 };
  const manager = start([spec], { clock, settings });
  const server = manager.server('echo');
  await healthOf(server, withStatus('ok'));
  const { pid = 0 } = server.status();
  process.kill(pid, 'SIGSTOP');
  // The server would never respond, so the test does not need to wait.
  settings.healthMs = 20;
  for (let check = 1; check <= 4; check += 1) {
    clock.pass(10_000);
    const checkedAt = clock.now();
    await healthOf(server, ({ lastChecked }) => lastChecked === checkedAt);
  }
  expect(server.health().status).toBe('timeout');
  settings.healthMs = 20_000;
  process.kill(pid, 'SIGCONT');
  clock.pass(10_000);
  await healthOf(server, withStatus('ok'));
  expect(server.status()).toMatchObject({ pid, restarts: 0 });
});
