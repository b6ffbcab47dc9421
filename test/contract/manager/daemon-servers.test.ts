import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { childrenOf, isAlive } from '../../runtime/targets/manager/upstream/processes.ts';
import { postText, stopWithUnreadRequests } from '../stopped-requests.ts';
import { verifiesOnce } from '../verifies.ts';
import { writeFiles } from './arms.ts';
import { serversToml, TWO } from './config.ts';
import { type RunningDaemon, useDaemons } from './daemon-process.ts';
import { pidOf, putLoad, serves } from './load.ts';

const { launch, start, startIn } = useDaemons();

verifiesOnce('daemon:kill-child', async () => {
  const api = await start({ config: TWO });
  const [victim, other] = [await pidOf(api, 'one'), await pidOf(api, 'two')];
  const loads = [putLoad(api, 'one', 8), putLoad(api, 'two', 8)] as const;
  process.kill(victim, 'SIGKILL');
  const killedAt = performance.now();
  while (!(await serves(api, 'one'))) await new Promise((resolve) => setTimeout(resolve, 10));
  // The documented limit is two seconds; a busy test machine gets more.
  expect(performance.now() - killedAt).toBeLessThan(10_000);
  const [killed, untouched] = [await loads[0].stop(), await loads[1].stop()];
  expect(new Set(untouched.map(({ status }) => status))).toEqual(new Set([200]));
  expect([200, 502, 503]).toEqual(expect.arrayContaining([...new Set(killed.map(({ status }) => status))]));
  expect(killed.at(-1)?.status).toBe(200);
  expect(await pidOf(api, 'two')).toBe(other);
});

verifiesOnce('daemon:lazy-lists', async () => {
  const keys = 'lazy = true\nidle_timeout = "1s"';
  const config = serversToml(
    { name: 'one', run: ['echo.mjs'], keys },
    { name: 'two', run: ['echo.mjs'], keys },
  );
  const first = await start({ config });
  const phases = async (api: RunningDaemon): Promise<Record<string, string>> => {
    const { servers } = JSON.parse((await api.get('/api/v1/admin/status')).text) as {
      servers: { name: string; phase: string; listsReadAt?: string }[];
    };
    return Object.fromEntries(
      servers.map(({ name, phase, listsReadAt }) => [name, `${phase} ${listsReadAt === undefined}`]),
    );
  };
  const asleep = { one: 'idle false', two: 'idle false' };
  expect((await first.get('/api/v1/tools?q=echo')).status).toBe(200);
  await expect.poll(() => phases(first)).toEqual(asleep);
  await first.stop();

  const api = await startIn(first.folder);
  for (const path of ['/api/v1/tools?q=echo', '/api/v1/servers/one/tools', '/openapi/two.json']) {
    expect((await api.get(path)).status).toBe(200);
  }
  expect(await phases(api)).toEqual(asleep);
  expect((await api.post('/api/v1/servers/one/tools/echo', { message: 'hello' })).body).toBe('hello');
  expect(await phases(api)).toEqual({ one: 'running false', two: 'idle false' });
});

verifiesOnce('daemon:long-results', async () => {
  const api = await start({ config: serversToml({ name: 'echo', run: ['echo.mjs'] }) }, [
    '--result-limit',
    '4000',
  ]);
  const send = (method: string, params: object, session?: string) =>
    api.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method, params },
      {
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
    );
  const open = async (): Promise<string> => {
    const clientInfo = { name: 'test', version: '1' };
    const opened = await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    return String(opened.headers.get('mcp-session-id'));
  };
  const [own, other] = [await open(), await open()];
  const long = 'x'.repeat(9000);
  const { text } = await send('tools/call', { name: 'echo__echo', arguments: { message: long } }, own);
  expect(text.length).toBeLessThan(5000);
  const [, id, offset] =
    /mcp_manager_read_more \{\\"id\\":\\"([\w-]+)\\",\\"offset\\":(\d+)\}/.exec(text) ?? [];
  const more = { name: 'mcp_manager_read_more', arguments: { id, offset: Number(offset) } };
  expect((await send('tools/call', more, other)).text).toContain('unknown or expired ID');
  expect((await send('tools/call', more, own)).text).toContain('xxxx');
});

verifiesOnce('daemon:stop', async () => {
  const api = await start({
    config: serversToml(
      { name: 'echo', run: ['echo.mjs'] },
      { name: 'family', run: ['grandchild.mjs'], keys: 'timeout_shutdown = "1s"' },
    ),
  });
  const server = await pidOf(api, 'echo');
  const { body } = await api.post('/api/v1/servers/family/tools/pids', {});
  const { grandchild } = JSON.parse(body) as { grandchild: number };
  const detached = Number((await api.post('/api/v1/servers/family/tools/detach', {})).body);
  expect([grandchild, detached].map(isAlive)).toEqual([true, true]);
  const last = api.post('/api/v1/servers/echo/tools/hold', { key: 'last' });
  await expect
    .poll(async () => (await api.get('/api/v1/admin/servers/echo/logs?lines=100')).text)
    .toContain('holding last');
  api.child.kill('SIGTERM');
  await api.said(/stopping: finishing accepted requests/);
  process.kill(server, 'SIGUSR2');
  expect((await last).body).toBe('released');
  expect(await api.ended).toBe(0);
  for (const pid of [server, grandchild, detached]) expect(isAlive(pid)).toBe(false);
});

verifiesOnce('daemon:left-behind', async () => {
  const files = { config: serversToml({ name: 'family', run: ['grandchild.mjs'] }) };
  const folder = writeFiles(files);
  const run = async (): Promise<RunningDaemon> => await startIn(folder);
  const first = await run();
  const detached = Number((await first.post('/api/v1/servers/family/tools/detach', {})).body);
  const familyOf = async (api: RunningDaemon): Promise<number> =>
    (JSON.parse((await api.post('/api/v1/servers/family/tools/pids', {})).body) as { server: number }).server;
  const family = await familyOf(first);
  const other = await start(files);
  // The manager's guard process is also one of its children. Both are stopped first, so that neither notices that the other has exited.
  const processes = [first.child.pid ?? 0, ...childrenOf(first.child.pid).filter((pid) => pid !== family)];
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
    for (const pid of processes) process.kill(pid, signal);
  await first.ended;
  expect([detached, await familyOf(other)].map(isAlive)).toEqual([true, true]);
  const second = await run();
  expect(isAlive(detached)).toBe(false);
  expect(second.log()).toMatch(/terminated \d processes left behind by a killed mcp-manager/);
  expect(isAlive(await familyOf(other))).toBe(true);
});

verifiesOnce('daemon:limits', async () => {
  const limits = '[servers.limits]\nmemory = "128MiB"\nrequired = true\n';
  const api = await start({ config: serversToml({ name: 'family', run: ['grandchild.mjs'], keys: limits }) });
  const { status, text } = await api.post('/api/v1/servers/family/tools/allocate', { mib: 512 });
  if (status === 503) expect(text).toContain('This system cannot apply limits.memory: ');
  else expect([status, text]).toEqual([502, expect.stringContaining('it exceeded limits.memory')]);
});

verifiesOnce('daemon:stop-unread', async () => {
  for (const flags of [[], ['--shutdown-delay', '300ms']]) {
    const api = await start({ config: TWO }, flags);
    const request = postText('/api/v1/servers/one/tools/echo', { message: 'a' });
    const port = Number(new URL(api.url).port);
    for (const answer of await stopWithUnreadRequests(api.child, { port, request }))
      expect(answer).toMatch(/^HTTP\/1\.1 (200|503) /);
    expect(await api.ended).toBe(0);
  }
});

verifiesOnce('daemon:stderr', async () => {
  const api = await start({ config: serversToml({ name: 'loud', run: ['stderr-flood.mjs'] }) });
  for (let round = 0; round < 5; round += 1) {
    expect((await api.post('/api/v1/servers/loud/tools/flood', { bytes: 1_048_576 })).status).toBe(200);
  }
  expect((await api.get('/api/v1/admin/servers/loud/logs?lines=10')).text.length).toBeGreaterThan(10);
  await api.stop();
  expect(api.log().length).toBeLessThan(1_048_576);
  expect(api.log()).toMatch(/"dropped":\d+,"msg":"\d+ lines from the server were dropped from this log/);
});

verifiesOnce('daemon:log-rotation', async () => {
  const folder = writeFiles({ config: serversToml({ name: 'loud', run: ['stderr-flood.mjs'] }) });
  const log = join(folder, 'log');
  const limits = ['--log-path', log, '--log-max-size', '20000', '--log-keep', '2'];
  const daemon = launch(folder, ['--addr', '127.0.0.1:0', ...limits]);
  await vi.waitFor(() => expect(existsSync(`${log}.2`)).toBe(true), { timeout: 60_000 });
  daemon.child.kill('SIGTERM');
  await daemon.ended;
  const sizes = readdirSync(folder)
    .filter((name) => name.startsWith('log'))
    .map((name) => statSync(join(folder, name)).size);
  expect(sizes).toHaveLength(3);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000);
});
