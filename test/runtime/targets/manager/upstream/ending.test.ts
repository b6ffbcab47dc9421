import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openConnection } from '#manager/upstream/open-connection.ts';
import { fastestOf } from '#test/helpers/fastest-of.ts';
import { openFixture, openRecorded, PATIENCE, textOf } from './open-recorded.ts';
import { children, childrenSince, isAlive, zombies } from './processes.ts';
import { fixtureServer, launchOf, specOf } from './spec.ts';

const IGNORED = { onLog: () => undefined, onNotification: () => undefined };

interface Pids {
  readonly server: number;
  readonly grandchild: number;
}

test('a server that exits when its stdin closes does not receive a signal', async () => {
  const { connection } = await openRecorded(specOf(launchOf('echo.mjs'), { shutdown: 100_000 }));
  const from = performance.now();
  await connection.close();
  // A signal would be sent only after 40 seconds.
  expect(performance.now() - from).toBeLessThan(20_000);
  expect(await connection.closed).toEqual({ message: 'The connection was closed.', expected: true });
  expect(isAlive(connection.pid ?? 0)).toBe(false);
});

test('a server that ignores SIGTERM is killed within the shutdown timeout', async () => {
  const { connection, logs } = await openRecorded(specOf(launchOf('ignores-sigterm.mjs'), { shutdown: 600 }));
  await connection.close();
  expect(logs).toContain('ignored SIGTERM');
  expect(isAlive(connection.pid ?? 0)).toBe(false);
});

test("a server's child processes are terminated with it, even if they ignore SIGTERM", async () => {
  const { connection, text } = await openRecorded(specOf(launchOf('grandchild.mjs'), { shutdown: 600 }));
  const { server, grandchild } = JSON.parse(await text('pids')) as Pids;
  expect([isAlive(server), isAlive(grandchild)]).toEqual([true, true]);
  await connection.close();
  expect([isAlive(server), isAlive(grandchild)]).toEqual([false, false]);
});

test('child processes of a crashed server are also terminated', async () => {
  const { connection, text, call } = await openFixture('grandchild.mjs');
  const { grandchild } = JSON.parse(await text('pids')) as Pids;
  await expect(call('exit')).rejects.toThrow('The server exited with code 1.');
  await connection.closed;
  expect(isAlive(grandchild)).toBe(false);
});

test('after a crash, pending calls fail, the reason is reported and no zombie process remains', async () => {
  const { connection, call } = await openFixture('crash-on-call.mjs');
  const waiting = call('kill', { signal: 'SIGSEGV' });
  await expect(waiting).rejects.toMatchObject({
    name: 'ConnectionClosed',
    message: 'The server exited with signal SIGSEGV: the process crashed with a segmentation fault.',
  });
  expect(await connection.closed).toEqual({
    message: 'The server exited with signal SIGSEGV: the process crashed with a segmentation fault.',
    expected: false,
  });
  await expect(connection.request('ping', undefined, PATIENCE)).rejects.toThrow('signal SIGSEGV');
  connection.notify('notifications/anything');
  expect(zombies()).toEqual([]);
});

test('the last output line of a crashed server is reported', async () => {
  const { call } = await openFixture('crash-on-call.mjs');
  await expect(call('exit', { code: 7 })).rejects.toThrow(
    'The server exited with code 7. It wrote: fatal: told to exit with 7',
  );
});

test('no processes keep running after a crash', async () => {
  const { connection, call } = await openFixture('crash-on-call.mjs');
  await call('kill').catch(() => undefined);
  await connection.closed;
  // Other work in this process may use CPU time once; a leak uses it every time.
  const used = await fastestOf(async () => {
    const before = process.cpuUsage();
    await sleep(200);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  expect(used).toBeLessThan(150);
});

test('starting and stopping a hundred servers leaves no processes behind', async () => {
  const before = children();
  const round = async (): Promise<void> => {
    const connection = await openConnection(specOf(launchOf('echo.mjs')), IGNORED);
    const result = await connection.request(
      'tools/call',
      { name: 'echo', arguments: { message: 'hi' } },
      PATIENCE,
    );
    expect(textOf(result)).toBe('hi');
    await connection.close();
  };
  for (let done = 0; done < 100; done += 10) await Promise.all(Array.from({ length: 10 }, round));
  expect(childrenSince(before)).toEqual([]);
  expect(zombies()).toEqual([]);
});

test('closing a server twice or after a crash has no effect', async () => {
  const { connection } = await openFixture('echo.mjs');
  await Promise.all([connection.close(), connection.close()]);
  await connection.close();
  const { connection: crashed, call } = await openFixture('crash-on-call.mjs');
  await call('kill').catch(() => undefined);
  await crashed.close();
  expect((await crashed.closed).expected).toBe(false);
});

test('server processes exit if the manager is killed, because their stdin closes', async () => {
  const program = `
    import { openConnection } from ${JSON.stringify(new URL('../../../../../runtime/targets/manager/upstream/open-connection.ts', import.meta.url).href)};
    const launch = { kind: 'process', command: process.execPath, args: [${JSON.stringify(fixtureServer('echo.mjs'))}], env: {} };
    const spec = { launch, timeouts: { init: 20000, request: 1000, shutdown: 1000 } };
    const { pid } = await openConnection(spec, { onLog() {}, onNotification() {} });
    process.stdout.write(String(pid));
  `;
  const manager = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(manager.stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  expect(isAlive(pid)).toBe(true);
  manager.kill('SIGKILL');
  await once(manager, 'exit');
  await expect.poll(() => isAlive(pid)).toBe(false);
});
