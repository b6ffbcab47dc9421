import { describe, expect, test } from 'vitest';
import { ANYONE } from '#manager/access/caller.ts';
import { keyCaller } from '#manager/access/key-caller.ts';
import { selectFor, selectionIn, selectionQuery } from '#manager/access/selection.ts';

describe('a set of servers and tools selected in a URL', () => {
  test.each([
    ['/mcp', undefined],
    ['/mcp?', undefined],
    ['/mcp?servers=&tools=', undefined],
    ['/mcp?other=1', undefined],
    ['http://x/mcp?servers=a,%20b&servers=c', { servers: ['a', 'b', 'c'], tools: [] }],
    ['/sse?sessionId=1&tools=a/get_*', { servers: [], tools: ['a/get_*'] }],
  ])('parses the selection in %s', (url, selection) => {
    expect(selectionIn(url)).toEqual(selection);
  });

  test('a selection survives a round trip', () => {
    const selection = { servers: ['git*', 'time'], tools: ['disk/read file&x', 'a/b?c'] };
    expect(selectionQuery(selection)).toBe('?servers=git*,time&tools=disk/read%20file%26x,a/b%3Fc');
    expect(selectionIn(`/mcp${selectionQuery(selection)}`)).toEqual(selection);
    expect(selectionQuery({ servers: [], tools: [] })).toBe('');
  });
});

describe('a caller with a selected set of servers and tools', () => {
  const uses = (selection: { servers?: string[]; tools?: string[] }, caller = ANYONE) => {
    const selected = selectFor(caller, { servers: [], tools: [], ...selection });
    return (server: string, tool?: string): boolean => selected.canUse(server, tool);
  };

  test('a selection allows only its servers and tools', () => {
    const canUse = uses({ servers: ['Git*'], tools: ['Time/get_*'] });
    expect([canUse('github'), canUse('github', 'any'), canUse('time', 'get_now')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([canUse('time', 'set'), canUse('disk'), canUse('disk', 'get_x')]).toEqual([false, false, false]);
    const tools = uses({ tools: ['time/get_*'] });
    expect([tools('time', 'get_now'), tools('github')]).toEqual([true, false]);
  });

  test('a selection grants no additional permissions', () => {
    const narrow = keyCaller({ name: 'ci', admin: true, readOnly: true, servers: [], tools: ['time/get_*'] });
    const canUse = uses({ servers: ['*'], tools: ['time/*'] }, narrow);
    expect([canUse('time', 'get_now'), canUse('time', 'set'), canUse('disk')]).toEqual([true, false, false]);
    const selected = selectFor(narrow, { servers: ['time'], tools: [] });
    expect([selected.name, selected.readOnly]).toEqual(['ci', true]);
    expect(selected.canRead('time', 'prompt', 'x')).toBe(false);
  });
});
