import { describe, expect, test } from 'vitest';
import { keyCaller } from '#manager/access/key-caller.ts';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { keyOf } from './key-of.ts';

const may = (servers: string[], tools: string[], server: string, tool?: string): boolean =>
  keyCaller(keyOf('mcpm_x', { servers, tools })).canUse(server, tool);

test.each<[servers: string[], tools: string[], allowed: string[], refused: string[]]>([
  [[], [], ['time', 'time/now', 'git/push'], []],
  [
    ['time', 'git*'],
    [],
    ['time', 'time/now', 'git', 'github/x', 'GIT/Push'],
    ['memory', 'memory/x', 'atime'],
  ],
  // A server that no tool pattern mentions offers all of its tools.
  [['time', 'git'], ['git/get_*'], ['time/now', 'git', 'git/get_log', 'git/GET_log'], ['git/push', 'memory']],
  // Tool patterns alone also allow their servers.
  [[], ['git/get_*', 'git/log'], ['git', 'git/get_x', 'git/log'], ['git/push', 'time', 'time/now']],
  [[], ['*/get_*'], ['time', 'time/get_now', 'git/get_log'], ['git/push']],
  [[], ['git'], ['git', 'git/push'], ['time']],
  [[], ['fs/a/b*'], ['fs/a/b', 'fs/a/bc'], ['fs/a', 'fs/c/a/b']],
])('access of a key with servers %j and tools %j', (servers, tools, allowed, refused) => {
  for (const [names, expected] of [
    [allowed, true],
    [refused, false],
  ] as const) {
    for (const name of names) {
      const at = name.indexOf('/');
      const [server, tool] = at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)];
      expect([name, may(servers, tools, server, tool)]).toEqual([name, expected]);
    }
  }
});

test('patterns with many wildcards are matched quickly', () => {
  expect(may(['*a'.repeat(2000)], [], 'a'.repeat(1999))).toBe(false);
});

describe('prompts and resources', () => {
  const reads = (changes: Partial<KeyRecord>): string[] => {
    const caller = keyCaller(keyOf('mcpm_x', changes));
    const items = [
      ['git', 'prompt', 'summary'],
      ['git', 'prompt', 'secret'],
      ['git', 'resource', 'file:///public/a'],
      ['git', 'resource', 'file:///etc/passwd'],
      ['time', 'prompt', 'now'],
      ['time', 'resource', 'time://now'],
    ] as const;
    return items
      .filter(([server, kind, name]) => caller.canRead(server, kind, name))
      .map(([server, , name]) => `${server} ${name}`);
  };
  const TIME = ['time now', 'time time://now'];
  const GIT = ['git summary', 'git secret', 'git file:///public/a', 'git file:///etc/passwd'];

  test('prompts and resources are available to a key with access to the whole server', () => {
    expect(reads({})).toEqual([...GIT, ...TIME]);
    expect(reads({ readOnly: true })).toEqual([...GIT, ...TIME]);
    expect(reads({ servers: ['git'] })).toEqual(GIT);
  });

  test('prompts and resources are not available to a key that is limited to single tools', () => {
    expect(reads({ tools: ['git/log'] })).toEqual([]);
    expect(reads({ tools: ['git'] })).toEqual([]);
    expect(reads({ servers: ['git', 'time'], tools: ['git/log'] })).toEqual(TIME);
  });

  test('prompts and resources are available if a pattern in the key matches', () => {
    expect(reads({ tools: ['git/log'], prompts: ['git/sum*'] })).toEqual(['git summary']);
    expect(reads({ resources: ['git/file:///public/*'] })).toEqual(['git file:///public/a']);
    expect(reads({ prompts: ['*/*'] })).toEqual(['git summary', 'git secret', 'time now']);
  });

  test('patterns for prompts do not grant access to tools', () => {
    const caller = keyCaller(keyOf('mcpm_x', { prompts: ['git/*'] }));
    expect([caller.canUse('git'), caller.canUse('git', 'log'), caller.canUse('time')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
