import { expect, test } from 'vitest';
import { treeUsage } from '#core/limits/tree-usage.ts';

const row = (pid: number, parent: number, memory: number, seconds: number) => ({
  pid,
  parent,
  memory,
  seconds,
});

test('a tree contains a process and all its descendants, except processes that have exited', () => {
  const rows = [row(1, 0, 5, 5), row(2, 1, 10, 1), row(3, 2, 20, 2), row(4, 3, 40, 4), row(5, 1, 80, 8)];
  expect([...treeUsage(rows, [2, 5, 9])]).toEqual([
    [2, { processes: 3, memory: 70, seconds: 7 }],
    [5, { processes: 1, memory: 80, seconds: 8 }],
  ]);
});

test('processes in a parent cycle, which reused process IDs can cause, are counted once', () => {
  expect([...treeUsage([row(2, 3, 1, 1), row(3, 2, 1, 1)], [2])]).toEqual([
    [2, { processes: 2, memory: 2, seconds: 2 }],
  ]);
});
