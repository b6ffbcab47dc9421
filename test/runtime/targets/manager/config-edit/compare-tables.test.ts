import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { copyTable, isSameTable } from '#manager/config-edit/compare-tables.ts';

const TEXT = `
n = 1
f = 1.5
b = true
day = 2026-01-01
time = 2026-01-01T10:00:00Z
list = [1, [2, "x"]]
"__proto__" = { x = 1 }
[[servers]]
name = "a"
env = { K = "v" }
`;

test('a copy is equal, and changing it does not change the original', () => {
  const table = parse(TEXT);
  const copy = copyTable(table);
  expect(isSameTable(table, copy)).toBe(true);
  expect(Object.hasOwn(copy, '__proto__')).toBe(true);
  (copy['list'] as unknown[]).push(3);
  expect(isSameTable(table, copy)).toBe(false);
  expect(isSameTable(table, parse(TEXT))).toBe(true);
});

test.each([
  ['n = 1', 'n = "1"'],
  ['day = 2026-01-01', 'day = 2026-01-02'],
  ['day = 2026-01-01', 'day = 2026-01-01T00:00:00Z'],
  ['[1, [2, "x"]]', '[1, [2, "y"]]'],
  ['[1, [2, "x"]]', '{ "0" = 1, "1" = 2 }'],
  ['{ x = 1 }', '{ y = 1 }'],
  ['b = true', ''],
])('%s does not equal %s', (before, after) => {
  const other = parse(TEXT.replace(before, after));
  expect(isSameTable(parse(TEXT), other)).toBe(false);
  expect(isSameTable(other, parse(TEXT))).toBe(false);
});
