import { expect, test } from 'vitest';
import { pagesWithCommands, shellBlocksOf } from './commands/blocks.ts';
import { isOutputOf } from './commands/compare.ts';
import { coverageOf, unusedKeys } from './commands/table.ts';

const blocks = pagesWithCommands().flatMap(shellBlocksOf);
const nameOf = ({ page, section, line }: { page: string; section: string; line: number }): string =>
  `${page}:${line} (${section})`;

test('every code block with commands is run, unless the table states a reason', () => {
  expect(blocks.length).toBeGreaterThan(100);
  expect(blocks.filter((block) => coverageOf(block) === undefined).map(nameOf)).toEqual([]);
  expect(unusedKeys(blocks)).toEqual([]);
});

test('most code blocks with output are run', () => {
  const shown = blocks.filter(({ commands }) => commands.some(({ output }) => output !== ''));
  const run = shown.filter((block) => 'by' in (coverageOf(block) ?? {}));
  expect(run.length / shown.length).toBeGreaterThan(0.85);
});

test('output can differ only in IDs, times and rounding', () => {
  const shown = 'Created key 5bc26c62-c70e-4be6-82d4-83637da5bf7f at 2026-11-24 04:34Z, 0.99527925\n…\nend';
  const actual =
    'Created key 11111111-c70e-4be6-82d4-83637da5bf7f at 2027-01-01 10:00Z, 0.99527931\nany\nend';
  expect(isOutputOf(actual, shown)).toBe(true);
  expect(isOutputOf(actual.replace('end', 'END'), shown)).toBe(false);
  expect(isOutputOf(actual.replace('Created', 'Made'), shown)).toBe(false);
  expect(isOutputOf('2 servers', '3 servers')).toBe(false);
});
