import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { openUsers, serverTable } from './use-users.ts';

const temp = useTempFolder();
const table = (settings: string): string =>
  serverTable('echo', 'echo.mjs', `${settings}\nenv = { WHO = "\${user.id}" }`);

test('above max_instances, users wait for a process that no call uses', async () => {
  const { managed, call } = await openUsers(table('max_instances = 1'), {
    users: ['ann', 'bob'],
    folder: temp(),
  });
  const who = async (user: string) => JSON.parse((await call(user, 'env')).body).WHO;
  expect(await who('ann')).toBe('ann');
  // The process of ann is stopped once it has been unused for a second.
  expect(await who('bob')).toBe('bob');
  expect(managed.server('echo').instances()).toEqual({ running: 1, max: 1 });
  expect(managed.server('echo').logs.last(100)).toContainEqual(
    expect.objectContaining({
      user: 'ann',
      text: 'stopped: other users wait for an instance (max_instances)',
    }),
  );
});

test('a process with a running call is not stopped for another user, whose call fails with the reason', async () => {
  const { managed, call } = await openUsers(table('max_instances = 1\nqueue = 1\ntimeout_request = "2s"'), {
    users: ['ann', 'bob', 'cyd'],
    folder: temp(),
  });
  await call('ann', 'env');
  const held = managed.nextLogLine('echo', /holding/);
  const holding = call('ann', 'hold', { key: 'one' });
  await held;
  const waiting = call('bob', 'env');
  await expect.poll(() => managed.server('echo').forUser({ user: 'none' }) !== undefined).toBe(true);
  const [full, late] = await Promise.all([call('cyd', 'env'), waiting]);
  expect([full.status, full.body.detail]).toEqual([
    429,
    'server busy: echo: it runs for 1 users, the maximum (max_instances), and 1 more are waiting; retry in 1 s',
  ]);
  expect([late.status, late.body.detail]).toEqual([
    503,
    'server not available: echo: all 1 instances (max_instances) are in use by other users; retry in 1 s',
  ]);
  await call('ann', 'release', { key: 'one' });
  expect((await holding).status).toBeGreaterThan(0);
});

test('idle processes stop after idle_timeout, and the next call starts one with the same values', async () => {
  const { managed, call } = await openUsers(table('idle_timeout = "50ms"'), {
    users: ['ann'],
    folder: temp(),
  });
  const pid = async () => JSON.parse((await call('ann', 'process')).body).pid;
  const before = await pid();
  await expect.poll(() => managed.server('echo').instances()?.running, { timeout: 10_000 }).toBe(0);
  expect(await pid()).not.toBe(before);
  expect(JSON.parse((await call('ann', 'env')).body).WHO).toBe('ann');
});

test('a restart ends the processes of all users', async () => {
  const { managed, call } = await openUsers(table(''), { users: ['ann', 'bob'], folder: temp() });
  const pid = async (user: string) => JSON.parse((await call(user, 'process')).body).pid;
  const before = new Set([await pid('ann'), await pid('bob')]);
  await managed.server('echo').restart();
  expect(managed.server('echo').instances()?.running).toBe(0);
  const after = [await pid('ann'), await pid('bob')];
  expect(after.filter((one) => before.has(one))).toEqual([]);
});
