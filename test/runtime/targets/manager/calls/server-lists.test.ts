import { expect, test } from 'vitest';
import { handClock } from '#test/helpers/hand-clock.ts';
import { type SpecChanges, serverSpec } from '../server-spec.ts';
import { callOf, type TestManager, useManager } from '../use-manager.ts';

const start = useManager();

interface Changing extends TestManager {
  readonly clock: ReturnType<typeof handClock>;
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<unknown>;
  readonly names: () => Promise<string[]>;
  /** The number of tools/list requests that the server received. */
  readonly listings: () => Promise<number>;
  /** Changes the server's tools without an announcement. */
  readonly become: (...tools: string[]) => Promise<unknown>;
}

/** The server `changing`, without its control tools. */
function startChanging(env: SpecChanges['env'] = {}, changes: SpecChanges = {}): Changing {
  const clock = handClock();
  const manager = start([serverSpec('changing', 'changing', { env, ...changes })], { clock });
  const call: Changing['call'] = async (tool, args = {}) => {
    const { content } = await manager.calls.callTool({ ...callOf('changing'), tool, args });
    return content?.[0]?.text;
  };
  return {
    ...manager,
    clock,
    call,
    async names() {
      const tools = await manager.calls.listTools(callOf('changing'));
      return tools.map(({ name }) => name).filter((name) => !CONTROLS.has(name));
    },
    listings: async () => (JSON.parse(String(await call('asked'))) as { tools: number }).tools,
    become: (...tools) => call('become', { tools }),
  };
}

const CONTROLS = new Set(['become', 'announce', 'hang', 'answer', 'asked']);

test('the list of a server that cannot announce changes is cached for 30 seconds', async () => {
  const { names, become, clock, listings } = startChanging();
  expect(await names()).toEqual(['one', 'two']);
  await become('three');
  clock.pass(29_999);
  expect(await names()).toEqual(['one', 'two']);
  clock.pass(1);
  expect(await names()).toEqual(['three']);
  expect(await listings()).toBe(2);
});

test('the list of a server that announces changes is cached for five minutes', async () => {
  const { names, become, clock } = startChanging({ LIST_CHANGED: '1' });
  await names();
  await become('three');
  clock.pass(299_999);
  expect(await names()).toEqual(['one', 'two']);
  clock.pass(1);
  expect(await names()).toEqual(['three']);
});

test('a list is requested again after an announced change or a restart', async () => {
  const { names, call, become, listings, server } = startChanging({ LIST_CHANGED: '1' });
  await names();
  await become('three');
  await call('announce');
  expect(await names()).toEqual(['three']);
  expect(await listings()).toBe(2);
  await server('changing').restart();
  expect(await names()).toEqual(['one', 'two']);
  expect(await listings()).toBe(1);
});

test.each([
  ['60000', 60_000],
  // The server announces changes; the SDK writes 0 if the author did not set a value.
  ['0', 300_000],
  ['999999999999', 86_400_000],
])('ttlMs %s from a server of revision 2026-07-28 caches its list for %i ms', async (ttl, milliseconds) => {
  const clock = handClock();
  const manager = start([serverSpec('modern', 'modern-only', { env: { TTL_MS: ttl } })], { clock });
  const listings = async (): Promise<unknown> => {
    const [first] = await manager.calls.listTools(callOf('modern'));
    return first?.['_meta'];
  };
  expect(await listings()).toEqual({ listings: 1 });
  clock.pass(milliseconds - 1);
  expect(await listings()).toEqual({ listings: 1 });
  clock.pass(1);
  expect(await listings()).toEqual({ listings: 2 });
});

test('clients are notified of a change that the server did not announce, but not if the list is unchanged', async () => {
  const { names, become, clock, supervisor } = startChanging();
  await names();
  const changes: unknown[] = [];
  supervisor.subscribe((event) => event.kind === 'list-changed' && changes.push(event));
  clock.pass(30_000);
  await names();
  expect(changes).toEqual([]);
  await become('three');
  clock.pass(30_000);
  await names();
  expect(changes).toEqual([{ kind: 'list-changed', server: 'changing', list: 'tools' }]);
});

test('a call of a tool that the server has removed fails with a "not found" error, and the list is refreshed', async () => {
  const { names, become, call } = startChanging();
  expect(await call('one')).toBe('one');
  await become('three');
  await expect(call('one')).rejects.toMatchObject({
    code: 'NotFoundError',
    message: 'tool not found: changing/one',
  });
  expect(await names()).toEqual(['three']);
});

test("if only the case of a tool's name has changed, the tool is called by its new name", async () => {
  const { become, call } = startChanging();
  expect(await call('one')).toBe('one');
  await become('ONE');
  expect(await call('one')).toBe('ONE');
});

test("if the server's result reports an unknown tool, the result is returned unchanged and the list is refreshed", async () => {
  const { names, become, calls, call } = startChanging({ UNKNOWN: 'result' });
  await call('one');
  await become('three');
  const result = await calls.callTool({ ...callOf('changing'), tool: 'one', args: {} });
  expect(result).toEqual({
    content: [{ type: 'text', text: 'MCP error -32602: Tool one not found' }],
    isError: true,
  });
  expect(await names()).toEqual(['three']);
});
