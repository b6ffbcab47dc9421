import { expect, test } from 'vitest';
import { parseThreadCount, resolveThreadCount } from '#serve/program/thread-count.ts';

const LINUX = { platform: 'linux', processors: 8 };

test('auto leaves one processor for the main thread, and is at least one thread', () => {
  expect(resolveThreadCount('auto', 'threads', LINUX)).toBe(7);
  expect(resolveThreadCount('auto', 'threads', { ...LINUX, processors: 1 })).toBe(1);
});

test('where threads cannot share a port, auto is one thread, and more are refused', () => {
  for (const platform of ['darwin', 'win32']) {
    const machine = { platform, processors: 8 };
    expect(resolveThreadCount('auto', '--threads', machine)).toBe(1);
    expect(resolveThreadCount(1, '--threads', machine)).toBe(1);
    expect(() => resolveThreadCount(2, '--threads', machine)).toThrow(
      '--threads: 2 threads need a port that several threads can share, which only Linux provides. Set 1 or auto.',
    );
  }
  expect(resolveThreadCount(200, 'threads', LINUX)).toBe(200);
});

test.each([
  ['auto', 'auto'],
  ['1', 1],
  ['256', 256],
  ['257', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['', undefined],
  ['two', undefined],
])('the value %s', (text, count) => {
  expect(parseThreadCount(text)).toBe(count);
});
