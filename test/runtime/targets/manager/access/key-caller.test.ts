import { expect, test } from 'vitest';
import { keyCaller } from '../../../../../runtime/targets/manager/access/key-caller.ts';
import { keyOf } from './key-of.ts';

const may = (servers: string[], tools: string[], server: string, tool?: string): boolean =>
  keyCaller(keyOf('mcpm_x', { servers, tools })).mayUse(server, tool);

test.each<[servers: string[], tools: string[], allowed: string[], refused: string[]]>([
  [[], [], ['time', 'time/now', 'git/push'], []],
  [
    ['time', 'git*'],
    [],
    ['time', 'time/now', 'git', 'github/x', 'GIT/Push'],
    ['memory', 'memory/x', 'atime'],
  ],
  // Servers that no tool pattern is about give all of their tools.
  [['time', 'git'], ['git/get_*'], ['time/now', 'git', 'git/get_log', 'git/GET_log'], ['git/push', 'memory']],
  // Tool patterns alone name the servers as well.
  [[], ['git/get_*', 'git/log'], ['git', 'git/get_x', 'git/log'], ['git/push', 'time', 'time/now']],
  [[], ['*/get_*'], ['time', 'time/get_now', 'git/get_log'], ['git/push']],
  [[], ['git'], ['git', 'git/push'], ['time']],
  [[], ['fs/a/b*'], ['fs/a/b', 'fs/a/bc'], ['fs/a', 'fs/c/a/b']],
])('servers %j and tools %j', (servers, tools, allowed, refused) => {
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

test('patterns with many stars are not slow', () => {
  expect(may(['*a'.repeat(2000)], [], 'a'.repeat(1999))).toBe(false);
});
