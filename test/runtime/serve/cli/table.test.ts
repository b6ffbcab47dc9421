import { describe, expect, test } from 'vitest';
import { span } from '#manager/client/manager-status.ts';
import { formatTable, oneLine } from '#serve/cli/table.ts';

const terminal = (width: number) => ({
  width,
  live: false,
  style: (style: string, text: string) => `<${style}>${text}</>`,
});

describe('formatTable', () => {
  const rows = [
    ['a', 'short'],
    ['longer', 'a text that is much too long for its column'],
  ];

  test('aligns its columns', () => {
    expect(formatTable(['ONE', 'TWO'], rows, terminal(Infinity))).toEqual([
      'ONE     TWO',
      'a       short',
      'longer  a text that is much too long for its column',
    ]);
  });

  test('fits the width of the terminal', () => {
    const lines = formatTable(['ONE', 'TWO'], rows, terminal(20));
    expect(lines[2]).toBe('longer  a text that…');
    expect(Math.max(...lines.map((line) => line.length))).toBe(20);
  });

  test('counts columns instead of characters, and never splits a character', () => {
    const wide = [['日本語', '👩‍👩‍👧 e\u0301 😀😀😀']];
    const [, line = ''] = formatTable(['ONE', 'TWO'], wide, terminal(Infinity));
    expect(line).toBe('日本語  👩‍👩‍👧 e\u0301 😀😀😀');
    const [head, cut] = formatTable(['ONE', 'TWO'], wide, terminal(16));
    expect([head, cut]).toEqual(['ONE     TWO', '日本語  👩‍👩‍👧 e\u0301 😀…']);
  });

  test('styles the text, but not the gaps', () => {
    const [, line] = formatTable(['ONE', 'TWO'], [[{ text: 'a', style: 'red' }, 'b']], terminal(80));
    expect(line).toBe('<red>a</>    b');
  });
});

test('removes control sequences from texts that servers return', () => {
  expect(oneLine('a\u001B[2Jb\n\tc\u0007\u2028d')).toBe('ab c d');
});

test.each([
  [0, '0s'],
  [59_999, '59s'],
  [60_000, '1m 0s'],
  [3_725_000, '1h 2m'],
  [90_000_000, '1d 1h'],
])('%i ms is formatted as %s', (milliseconds, text) => {
  expect(span(milliseconds)).toBe(text);
});
