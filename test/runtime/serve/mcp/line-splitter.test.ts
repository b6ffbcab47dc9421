import { array, assert, property, string, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter, type Line } from '#serve/mcp/line-splitter.ts';

function split(chunks: readonly (string | Uint8Array)[], maxBytes = 1000): Line[] {
  const splitter = createLineSplitter(maxBytes);
  return [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk))), ...splitter.end()];
}

test('lines can be split anywhere, even inside a character', () => {
  const text = 'one\nzwei äöü\n\n{"three": "☃"}\nlast';
  const bytes = Buffer.from(text);
  const expected = text.split('\n').map((line) => ({ text: line }));
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    expect(split(chunks)).toEqual(expected);
  }
});

test('any lines in any chunks are returned unchanged', () => {
  const line = string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
  assert(
    property(array(line, { minLength: 1 }), (lines) => {
      const chunks = Buffer.from(`${lines.join('\n')}\n`);
      const found = split([chunks.subarray(0, 7), chunks.subarray(7)], 1e6);
      expect(found).toEqual(lines.map((text) => ({ text })));
    }),
  );
});

test('at most the limit is buffered', () => {
  assert(
    property(array(uint8Array({ maxLength: 40 }), { maxLength: 20 }), (chunks) => {
      // Invalid UTF-8 results in at most one replacement character per byte.
      const lengths = split(chunks, 16).map((line) => ('text' in line ? line.text.length : 0));
      expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(16);
    }),
  );
});

test('a line over the limit is reported immediately and once, and the next line is read', () => {
  const splitter = createLineSplitter(8);
  expect(splitter.push(Buffer.from('12345678'))).toEqual([]);
  expect(splitter.push(Buffer.from('9'))).toEqual([{ tooLong: true }]);
  expect(splitter.push(Buffer.from('0'.repeat(100)))).toEqual([]);
  expect(splitter.push(Buffer.from('1\nnext\n'))).toEqual([{ text: 'next' }]);
  expect(splitter.push(Buffer.from('12345678\n123456789\n1\n'))).toEqual([
    { text: '12345678' },
    { tooLong: true },
    { text: '1' },
  ]);
  expect(splitter.push(Buffer.from('123456789'))).toEqual([{ tooLong: true }]);
  expect(splitter.end()).toEqual([]);
});

test('lines over the limit can be truncated instead', () => {
  const splitter = createLineSplitter(4, { cut: true });
  expect(splitter.push(Buffer.from('123456'))).toEqual([]);
  expect(splitter.push(Buffer.from('789\n\n12\n'))).toEqual([{ text: '1234' }, { text: '' }, { text: '12' }]);
  expect(splitter.push(Buffer.from('abcdef'))).toEqual([]);
  expect(splitter.end()).toEqual([{ text: 'abcd' }]);
  assert(
    property(array(uint8Array({ maxLength: 40 }), { maxLength: 20 }), (chunks) => {
      const whole = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
      const expected = whole
        .toString('latin1')
        .split('\n')
        .map((line) => ({ text: Buffer.from(line.slice(0, 16), 'latin1').toString('utf8') }));
      const again = createLineSplitter(16, { cut: true });
      const found = [...chunks.flatMap((chunk) => again.push(Buffer.from(chunk))), ...again.end()];
      if (expected.at(-1)?.text === '') expected.pop();
      expect(found).toEqual(expected);
    }),
  );
});
