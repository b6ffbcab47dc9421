import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { children, childrenSince, isAlive, zombies } from '../upstream/processes.ts';
import { link, plugin, post, served, started } from './served.ts';

const folder = useTempFolder();

test('a killed plugin is restarted, and requests then succeed with the new process', async () => {
  const { url, said } = await served({ authentication: [plugin('show', { required: true })] });
  const pidOf = async (): Promise<number> => ((await (await post(url)).json()) as { pid: number }).pid;
  const first = await pidOf();
  process.kill(first, 'SIGKILL');
  expect(await said('show', 'plugin exited')).toMatchObject({ reason: 'It exited with signal SIGKILL.' });
  await expect.poll(async () => (await post(url)).status).toBe(200);
  expect(await pidOf()).not.toBe(first);
  expect(isAlive(first)).toBe(false);
});

test('a plugin can take a while to become ready', async () => {
  const { url } = await served({ audit: [plugin('not-ready', { required: true, config: { after: '3' } })] });
  expect((await post(`${url}/echo`)).status).toBe(200);
});

test('a plugin that failed to start is restarted, and a required plugin blocks requests in the meantime', async () => {
  const { url, logged, said } = await served({ audit: [plugin('dies-at-start', { required: true })] });
  expect(await said('dies-at-start', 'plugin not started')).toMatchObject({
    reason: 'It exited with code 7.',
  });
  const tries = (): number => logged.filter(({ msg }) => msg === 'plugin not started').length;
  await expect.poll(tries).toBeGreaterThan(1);
  const answer = await post(`${url}/echo`);
  expect(answer.status).toBe(500);
  expect(answer.headers.get('Mcpd-Error-Type')).toBe('request-pipeline-failure');
  expect(logged).toContainEqual(expect.objectContaining({ level: 50, msg: 'CRITICAL:start:no licence' }));
});

test('a plugin that never becomes ready is skipped, and the reason is logged', async () => {
  const { url, said } = await served({ audit: [plugin('not-ready')] }, { startTimeoutMs: 700 });
  expect(await said('not-ready', 'plugin not started')).toMatchObject({
    // On a busy machine it may not even listen by then.
    reason: expect.stringMatching(
      /^It was not ready within 700 ms: (CheckReady failed: still warming up|it does not listen)/,
    ) as string,
  });
  expect((await post(`${url}/echo`)).status).toBe(200);
});

test('a program that is not a plugin is stopped after the startup timeout, and the reason is logged', async () => {
  writeFileSync(join(folder(), 'sleeper'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const sleeper = { name: 'sleeper', flows: ['request'] };
  const before = children();
  const { logged } = await started({ dir: folder(), audit: [sleeper] }, { startTimeoutMs: 100 });
  expect(logged).toContainEqual(
    expect.objectContaining({
      plugin: 'sleeper',
      reason: 'It was not ready within 100 ms: it does not listen on the socket of --address',
    }),
  );
  await expect.poll(() => childrenSince(before)).toEqual([]);
});

test('a plugin whose commit differs from commit_hash is not used', async () => {
  const pinned = (required: boolean): object => plugin('deny', { required, commit_hash: 'def456' });
  await expect(started({ authentication: [pinned(true)] })).rejects.toMatchObject({
    code: 'ConfigError',
    message:
      'The required authentication plugin deny.mjs failed to start. It reports commit "abc123", but commit_hash is "def456". Install that build, or correct commit_hash.',
  });
  const { url } = await served({ authentication: [pinned(false)] });
  expect((await post(`${url}/echo`)).status).toBe(200);
  const right = await served({ authentication: [plugin('deny', { commit_hash: 'abc123' })] });
  expect((await post(`${right.url}/echo`)).status).toBe(403);
});

test('permanent problems of all required plugins are reported immediately', async () => {
  await expect(
    started({
      dir: folder(),
      authentication: [plugin('absent', { required: true })],
      content: [plugin('change', { kind: 'js', path: 'nowhere.mjs', required: true })],
      audit: [plugin('hook', { kind: 'http', url: '${UNSET_URL}', required: true })],
    }),
  ).rejects.toThrow(
    new RegExp(
      [
        'The required authentication plugin absent.mjs failed to start. .*absent.mjs does not exist. Install the plugin there',
        'The required content plugin change.mjs failed to start. .*nowhere.mjs, or a module that it imports, was not found',
        'The required audit plugin hook.mjs failed to start. url: the variable UNSET_URL is not set',
      ].join('[^]*'),
    ),
  );
});

test('a plugin that supports none of its configured flows is not used', async () => {
  const wrong = plugin('change-response', { flows: ['request'], required: true });
  await expect(started({ authentication: [wrong] })).rejects.toThrow(
    'It supports response, but flows contains request. Correct flows.',
  );
});

test('a plugin can log any amount of output', async () => {
  const { url, logged } = await served({ audit: [plugin('flood', { required: true })] });
  expect((await post(`${url}/echo`)).status).toBe(200);
  const lines = logged.filter(({ msg }) => msg.startsWith('WARNING:flood:xxx'));
  expect(lines.length).toBeGreaterThan(900);
  expect(lines[0]).toMatchObject({ level: 40, plugin: 'flood.mjs' });
});

test('a plugin that stays unhealthy is restarted', async () => {
  const { said } = await started({ audit: [plugin('unwell')] }, { checkIntervalMs: 20 });
  expect(await said('unwell', 'plugin health check failed')).toMatchObject({
    reason: expect.stringMatching('lost its database') as string,
  });
  expect(await said('unwell', 'plugin exited')).toMatchObject({ reason: 'It exited with code 0.' });
});

test('a plugin that does not stop leaves no process, children or socket behind', async () => {
  const before = children();
  const { url, plugins } = await served({ audit: [plugin('stubborn')] });
  const { pids, socket } = (await (await post(url)).json()) as { pids: number[]; socket: string };
  expect(pids.map((pid) => isAlive(pid))).toEqual([true, true]);
  expect(existsSync(socket)).toBe(true);
  await plugins.close();
  expect(pids.map((pid) => isAlive(pid))).toEqual([false, false]);
  expect(zombies()).toEqual([]);
  expect(childrenSince(before)).toEqual([]);
  expect(existsSync(dirname(socket))).toBe(false);
});

test('closing while a plugin starts leaves no processes or files behind', async () => {
  link(folder(), 'again', 'crash');
  const before = children();
  const { url, plugins, said } = await served(
    { dir: folder(), audit: [plugin('again')] },
    { random: () => 0 },
  );
  await post(`${url}/echo`);
  await said('again', 'plugin exited');
  rmSync(join(folder(), 'again.mjs'));
  await plugins.close();
  expect(childrenSince(before)).toEqual([]);
});
