import { describe, expect, test } from 'vitest';
import { ANYONE, type ToolCaller } from '#manager/access/caller.ts';
import { createToolSearch } from '#manager/calls/search.ts';
import { serverSpec } from '../server-spec.ts';
import { useManager } from '../use-manager.ts';

const manager = useManager();

const SERVERS = [
  serverSpec('echo', 'echo', { tools: { allow: ['add', 'echo', 'schema', 'sleep*'], deny: [] } }),
  serverSpec('camel', 'camel-case-tools'),
];

function searching(servers = SERVERS) {
  const { calls, supervisor } = manager(servers);
  const search = createToolSearch(calls);
  const failed: string[] = [];
  const find = async (
    query: string,
    { limit = 10, caller = ANYONE }: { limit?: number; caller?: ToolCaller } = {},
  ) => {
    const onFailure = (server: string): void => void failed.push(server);
    const found = await search.search(caller, query, limit, { requestId: 'test', onFailure });
    return found.map(({ name }) => name);
  };
  return { find, failed, supervisor };
}

describe('tool search', () => {
  test.each([
    ['by a word in its description', 'numbers', 'echo__add'],
    ['by a word inside its name', 'weather', 'camel__getWeather'],
    ['by its server and name', 'camel time', 'camel__Get_Time'],
    ['by its title', 'adder', 'echo__add'],
    ['by the name of a parameter', 'place', 'echo__schema'],
    ['by the start of a word', 'millisec', 'echo__sleep'],
    ['by a misspelled word', 'nunbers', 'echo__add'],
  ])('finds a tool %s', async (_how, query, expected) => {
    expect((await searching().find(query))[0]).toBe(expected);
  });
});

test('returns at most the requested number of items, and only matches', async () => {
  const { find } = searching();
  expect(await find('sleep', { limit: 1 })).toHaveLength(1);
  expect(await find('zebra')).toEqual([]);
});

test('returns the first items for an empty query', async () => {
  expect(await searching().find(' ', { limit: 3 })).toHaveLength(3);
});

test('finds only tools that the caller can use', async () => {
  const { find } = searching();
  const caller: ToolCaller = {
    name: 'narrow',
    admin: false,
    canUse: (server, tool) => server === 'echo' && tool !== 'add',
    canRead: () => true,
  };
  const found = await find('numbers weather echo', { caller });
  expect(found[0]).toBe('echo__echo');
  expect(found.filter((name) => name === 'echo__add' || name.startsWith('camel__'))).toEqual([]);
  expect(await find('numbers')).toContain('echo__add');
});

test('finds the current items of a server', async () => {
  const { find, supervisor } = searching(SERVERS.slice(0, 1));
  expect(await find('weather')).toEqual([]);
  await supervisor.apply(SERVERS);
  expect(await find('weather')).toEqual(['camel__getWeather']);
});

test('omits and reports an unavailable server', async () => {
  const { find, failed } = searching([...SERVERS, serverSpec('broken', 'exits-at-start')]);
  expect(await find('numbers')).toContain('echo__add');
  expect(failed).toEqual(['broken']);
});
