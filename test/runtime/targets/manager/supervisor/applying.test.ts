import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ServerSpec } from '#manager/config/spec.ts';
import type { ServerEvent } from '#manager/supervisor/managed-server.ts';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { keepCalling } from '../keep-calling.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const folder = useTempFolder();
const start = useManager();
const NOTHING = { added: [], removed: [], restarted: [], updated: [] };
const withArgs = (name: string, ...args: string[]): ServerSpec => serverSpec(name, 'echo', { args });
const say = (server: string) => ({ ...callOf(server), tool: 'echo', args: { message: 'hello' } });
const hold = (server: string) => ({ ...callOf(server), tool: 'hold', args: { key: 'k' } });
const HELLO = [{ type: 'text', text: 'hello' }];

test('applying a configuration affects only changed servers', async () => {
  const manager = start([withArgs('same'), withArgs('changed'), withArgs('gone'), withArgs('filtered')]);
  await Promise.all(manager.supervisor.names().map((name) => manager.phase(name, 'running')));
  const pid = (name: string) => manager.server(name).status().pid;
  const before = { same: pid('same'), changed: pid('changed'), filtered: pid('filtered') };
  const changes: ServerEvent[] = [];
  manager.supervisor.subscribe((event) => event.kind === 'servers-changed' && changes.push(event));
  const filtered = { ...withArgs('filtered'), tools: { allow: ['add'], deny: [] }, concurrency: 1 };
  const applied = await manager.supervisor.apply([
    filtered,
    withArgs('same'),
    withArgs('new'),
    withArgs('changed', 'more'),
  ]);
  expect(applied).toEqual({
    added: ['new'],
    removed: ['gone'],
    restarted: ['changed'],
    updated: ['filtered'],
  });
  expect(manager.supervisor.names()).toEqual(['changed', 'filtered', 'new', 'same']);
  expect([pid('same'), pid('filtered')]).toEqual([before.same, before.filtered]);
  expect(pid('changed')).not.toBe(before.changed);
  expect(changes).toHaveLength(1);
  await expect(manager.calls.callTool(say('filtered'))).rejects.toThrow('tool not allowed: filtered/echo');
  await expect(manager.calls.callTool(say('gone'))).rejects.toThrow('server not found: gone');
  expect(
    await manager.supervisor.apply([
      filtered,
      withArgs('same'),
      withArgs('new'),
      withArgs('changed', 'more'),
    ]),
  ).toEqual(NOTHING);
});

test('changing a volume or the order of arguments restarts the server', async () => {
  const manager = start([withArgs('a', '--volume', 'x:/x', 'one', 'two')]);
  await manager.phase('a', 'running');
  const apply = async (...args: string[]) =>
    (await manager.supervisor.apply([withArgs('a', ...args)])).restarted;
  expect(await apply('--volume', 'x:/x', 'one', 'two')).toEqual([]);
  expect(await apply('--volume', 'x:/x', 'two', 'one')).toEqual(['a']);
  expect(await apply('--volume', 'y:/x', 'two', 'one')).toEqual(['a']);
  const text = (await manager.calls.callTool({ ...callOf('a'), tool: 'process', args: {} })).content?.[0]
    ?.text;
  expect(JSON.parse(text ?? '')).toMatchObject({ args: ['--volume', 'y:/x', 'two', 'one'] });
});

test('changing the order of variables does not restart the server', async () => {
  const manager = start([serverSpec('a', 'echo', { env: { A: '1', B: '2' } })]);
  await manager.phase('a', 'running');
  expect(await manager.supervisor.apply([serverSpec('a', 'echo', { env: { B: '2', A: '1' } })])).toEqual(
    NOTHING,
  );
});

test('if one server cannot start, no changes are applied and the error names the server', async () => {
  const manager = start([withArgs('a'), withArgs('b')]);
  await Promise.all([manager.phase('a', 'running'), manager.phase('b', 'running')]);
  const pids = ['a', 'b'].map((name) => manager.server(name).status().pid);
  const bad = serverSpec('b', 'exits-at-start');
  const applied = manager.supervisor.apply([withArgs('a', 'more'), bad, withArgs('c')]);
  await expect(applied).rejects.toMatchObject({ code: 'ConfigError' });
  await expect(applied).rejects.toThrow(
    /^Server b failed to start: .*exited with code 3.*No changes were applied\.$/,
  );
  expect(manager.supervisor.names()).toEqual(['a', 'b']);
  expect(['a', 'b'].map((name) => manager.server(name).status().pid)).toEqual(pids);
  expect((await manager.calls.callTool(say('a'))).content).toEqual(HELLO);
});

test('a change is applied even if a server that already failed or is lazy cannot start', async () => {
  const manager = start([serverSpec('dies', 'exits-at-start'), withArgs('a')], { clock: handClock() });
  await Promise.all([manager.phase('dies', 'waiting'), manager.phase('a', 'running')]);
  const applied = await manager.supervisor.apply([
    serverSpec('dies', 'exits-at-start', { args: ['again'] }),
    serverSpec('lazy', 'exits-at-start', { lazy: true }),
    withArgs('a', 'more'),
  ]);
  expect(applied).toMatchObject({ added: ['lazy'], restarted: ['dies', 'a'] });
  await manager.phase('dies', 'waiting');

  await manager.supervisor.apply([withArgs('dies'), withArgs('a', 'more')]);
  await manager.phase('dies', 'running');
});

test('a reload retries stopped servers immediately', async () => {
  const dies = serverSpec('dies', 'echo', { command: join(folder(), 'program') });
  const manager = start([dies], { clock: handClock() });
  await manager.phase('dies', 'waiting');
  const { restarts } = manager.server('dies').status();
  expect(await manager.supervisor.apply([dies])).toEqual(NOTHING);
  await manager.phase('dies', 'waiting');
  expect(manager.server('dies').status().restarts).toBe(restarts + 1);
});

test('a removed server finishes running and queued calls and then stops', async () => {
  const manager = start([{ ...withArgs('a'), concurrency: 2 }]);
  const server = manager.server('a');
  const held = manager.calls.callTool(hold('a'));
  const second = manager.calls.callTool(hold('a'));
  const holding = () => server.logs.last(Infinity).filter(({ text }) => text === 'holding k');
  await expect.poll(() => holding()).toHaveLength(2);
  const waiting = manager.calls.callTool(say('a'));
  expect(server.status()).toMatchObject({ running: 2, queued: 1 });
  const connection = await server.connection({ timeoutMs: 20_000 });
  await manager.supervisor.apply([]);
  expect(manager.supervisor.get('a')).toBeUndefined();
  const release = { name: 'release', arguments: { key: 'k' } };
  await connection.request('tools/call', release, { timeoutMs: 20_000 });
  const answers = await Promise.all([held, second, waiting]);
  expect(answers.map(({ content }) => content?.[0]?.text)).toEqual(['released', 'released', 'hello']);
  expect(await connection.closed).toMatchObject({ expected: true });
  await expect(server.connection({ timeoutMs: 20_000 })).rejects.toMatchObject({ code: 'UnavailableError' });
  await expect(server.restart()).rejects.toMatchObject({ code: 'UnavailableError' });
});

test("a call that waits for its client continues after the server's configuration has been replaced", async () => {
  const clock = handClock();
  const manager = start([withArgs('a')], { clock });
  await manager.phase('a', 'running');
  const { pid } = manager.server('a').status();
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<ShapeOfParams>()];
  const ask = (): Promise<ShapeOfParams> => {
    asked.resolve();
    return answer.promise;
  };
  const requester = { identity: {}, capabilities: { roots: {} }, request: ask };
  const calling = manager.calls.callTool({
    ...callOf('a'),
    tool: 'ask',
    args: { method: 'roots/list' },
    requester,
  });
  await asked.promise;
  await manager.supervisor.apply([withArgs('a', 'changed')]);
  expect(manager.server('a').status().pid).not.toBe(pid);
  await setImmediate();
  clock.pass(60_000);
  await setImmediate();
  answer.resolve({ roots: [] });
  expect((await calling).content?.[0]?.text).toContain('"roots":[]');
});

test('concurrent changes are applied one after the other', async () => {
  const manager = start([]);
  const [first, second, third] = await Promise.all([
    manager.supervisor.apply([withArgs('a')]),
    manager.supervisor.apply([withArgs('a'), withArgs('b')]),
    manager.supervisor.apply([withArgs('b')]),
  ]);
  expect([first.added, second.added, third.added, third.removed]).toEqual([['a'], ['b'], [], ['a']]);
  expect(manager.supervisor.names()).toEqual(['b']);
});

test(
  '200 reloads under load lose no call, with new processes and with new limits',
  { timeout: 60_000 },
  async () => {
    const manager = start([withArgs('a', '0'), withArgs('b')]);
    await Promise.all([manager.phase('a', 'running'), manager.phase('b', 'running')]);
    const loads = [keepCalling(manager, 'a', 8), keepCalling(manager, 'b', 2)];
    const spec = (round: number): ServerSpec =>
      // Every tenth reload starts a new process; the others change the allowed tools and the concurrency limit.
      ({
        ...withArgs('a', String(Math.floor(round / 10))),
        concurrency: 4 + (round % 8),
        readOnly: round % 2 === 0,
      });
    for (let round = 1; round <= 200; round += 1) {
      await manager.supervisor.apply([spec(round), withArgs('b')]);
    }
    await Promise.all(loads.map((load) => load.stop()));
    expect(loads.flatMap(({ answers }) => answers.refused)).toEqual([]);
    expect(loads[0]?.answers.ok).toBeGreaterThan(200);
    expect(manager.server('a').status().restarts).toBe(20);
    expect(manager.server('b').status().restarts).toBe(0);
  },
);
