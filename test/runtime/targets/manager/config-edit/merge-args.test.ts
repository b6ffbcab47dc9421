import { expect, test } from 'vitest';
import { mergeArgs, withoutArgs } from '#manager/config-edit/merge-args.ts';

test.each([
  [['--a=1', '--b'], ['--a=2'], ['--a=2', '--b']],
  [
    ['--a', '1', '--b'],
    ['--a=2', '--c'],
    ['--a=2', '--b', '--c'],
  ],
  [
    ['x', 'y'],
    ['y', 'x'],
    ['y', 'x'],
  ],
  [['--a=1', 'x'], ['y'], ['--a=1', 'y']],
  [
    ['--a=1', '--a=2'],
    ['--a=3', '--a=4'],
    ['--a=3', '--a=4'],
  ],
  [['x'], ['--a', '-'], ['x', '--a', '-']],
  [[], ['--a'], ['--a']],
])('merging %j with %j results in %j', (before, given, expected) => {
  expect(mergeArgs(before, given)).toEqual(expected);
});

test.each([
  [
    ['--a=1', '--b', 'x'],
    ['--a', 'x'],
    ['--b', 'x'],
  ],
  [['--a=1', 'x', 'y'], ['x'], ['--a=1', 'y']],
  [['--a', '1', '--b=2'], ['--a'], ['--b=2']],
])('removing from %j the names %j results in %j', (before, names, expected) => {
  expect(withoutArgs(before, names)).toEqual(expected);
});
