import { expect, test } from 'vitest';
import { handClock } from '#test/helpers/hand-clock.ts';
import type { ListName } from '#manager/shared/list-items.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, type TestManager, useManager } from '../use-manager.ts';

const start = useManager();

async function startHanging(env: Record<string, string> = {}) {
  const clock = handClock();
  const servers = [serverSpec('changing', 'changing', { env }), serverSpec('echo', 'echo')];
  const manager = start(servers, { clock });
  await Promise.all(servers.map(async ({ name }) => manager.server(name).connection({ timeoutMs: 20_000 })));
  const call = (tool: string, args = {}) => manager.calls.callTool({ ...callOf('changing'), tool, args });
  const list = async (list: ListName = 'tools', server = 'changing'): Promise<string[]> => {
    const items = await manager.calls.listAll({ ...callOf(server), list });
    return items.map(({ name }) => String(name));
  };
  return {
    ...manager,
    clock,
    call,
    list,
    /** Advances the time by as much as a reader waits. */
    pass: async (milliseconds: number): Promise<void> => {
      await expect.poll(() => clock.waiting()).toContain(milliseconds);
      clock.pass(milliseconds);
    },
  };
}

const answer = (manager: TestManager): void => {
  process.kill(Number(manager.server('changing').status().pid), 'SIGUSR2');
};

const nextChange = (manager: TestManager): Promise<unknown> =>
  new Promise((resolve) => {
    manager.supervisor.subscribe((event) => event.kind === 'list-changed' && resolve(event));
  });

const PATIENCE_MS = 1000;
const FIRST_PATIENCE_MS = 5000;

test('if a server hangs, callers wait for its list only once, and then get the last known list until the server responds', async () => {
  const manager = await startHanging();
  const { list, call, clock, pass } = manager;
  const before = await list();
  await call('become', { tools: ['three'] });
  await call('hang', { lists: ['tools'] });
  clock.pass(30_000);
  const late = list();
  await pass(PATIENCE_MS);
  expect(await late).toEqual(before);
  // The clock stands still, so these calls do not wait.
  expect(await list()).toEqual(before);
  const [tools] = await Promise.all([manager.calls.listTools(callOf('changing')), call('two').catch(String)]);
  expect(tools.map(({ name }) => name)).toEqual(before);
  await manager.logged('changing', /^tools\/list timed out; clients get the cached list \(7 items\)/);

  const changed = nextChange(manager);
  answer(manager);
  expect(await changed).toEqual({ kind: 'list-changed', server: 'changing', list: 'tools' });
  expect(await list()).toEqual(['become', 'announce', 'hang', 'answer', 'asked', 'three']);
  await manager.logged('changing', /^tools\/list completed after/);
});

test.each(['tools', 'prompts'] as const)('a server that has never listed its %s is omitted', async (name) => {
  const manager = await startHanging({ HANG: 'tools,prompts' });
  const { list, pass } = manager;
  const late = list(name);
  late.catch(() => undefined);
  await pass(FIRST_PATIENCE_MS);
  await expect(late).rejects.toMatchObject({ code: 'TimeoutError' });
  await expect(list(name)).rejects.toMatchObject({ code: 'TimeoutError' });
  expect(await list(name, 'echo')).not.toEqual([]);
  await manager.logged(
    'changing',
    new RegExp(`^${name}/list timed out; lists of all servers omit this server`),
  );

  const changed = nextChange(manager);
  answer(manager);
  await changed;
  expect(await list(name)).toContain('one');
});

test('only one list request runs at a time, however many callers there are', async () => {
  const { list, call, clock, pass } = await startHanging();
  await list();
  await call('hang', { lists: ['tools'] });
  clock.pass(30_000);
  const late = Promise.all([list(), list(), list()]);
  await pass(PATIENCE_MS);
  await late;
  await Promise.all(Array.from({ length: 10 }, () => list()));
  const { content } = await call('asked');
  expect(JSON.parse(String(content?.[0]?.text))).toEqual({ tools: 2 });
});

test('lists of prompts are requested every time, because they are not cached', async () => {
  const { list, call } = await startHanging();
  expect(await list('prompts')).toEqual(['one', 'two']);
  await call('become', { tools: ['three'] });
  expect(await list('prompts')).toEqual(['three']);
});

test("after a restart, callers wait for the server's list again", async () => {
  const manager = await startHanging({ HANG: 'tools' });
  const { list, pass } = manager;
  const late = list();
  late.catch(() => undefined);
  await pass(FIRST_PATIENCE_MS);
  await expect(late).rejects.toThrow('MCP server error listing tools');
  await manager.server('changing').restart();
  const again = list();
  again.catch(() => undefined);
  await pass(FIRST_PATIENCE_MS);
  await expect(again).rejects.toThrow('MCP server error listing tools');
});
