import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openEscape, unescaped, withoutEscapes } from '#core/json/without-escapes.ts';

test('unescaping a JSON string restores the original text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(text, (given) => {
      const written = JSON.stringify(given).slice(1, -1);
      expect(withoutEscapes(written)).toBe(given);
      const { text: read, offsets } = unescaped(written);
      expect(read).toBe(given);
      expect(offsets).toHaveLength(read.length + 1);
      for (const [at, offset] of offsets.entries())
        expect(withoutEscapes(written.slice(offset))).toBe(given.slice(at));
    }),
  );
});

test.each([
  [String.raw`\u0041\/\"\\n`, String.raw`A/"\n`],
  [String.raw`\x \u00 \u00g1 \ `, String.raw`\x \u00 \u00g1 \ `],
  ['\\', '\\'],
  ['none', 'none'],
])('%s becomes %s', (text, read) => {
  expect(withoutEscapes(text)).toBe(read);
  expect(unescaped(text).text).toBe(read);
});

test.each([
  ['a\\', 1],
  [String.raw`a\u`, 1],
  [String.raw`a\u00e`, 1],
  [String.raw`a\u00e9`, undefined],
  ['a\\\\', undefined],
  ['a\\\\\\', 3],
  [String.raw`a\\u00`, undefined],
  [String.raw`a\n`, undefined],
  ['', undefined],
])('the incomplete escape at the end of %s starts at %s', (text, at) => {
  expect(openEscape(text)).toBe(at);
});

test('a megabyte of backslashes takes linear time', () => {
  const long = '\\'.repeat(2 ** 20);
  expect(withoutEscapes(long)).toHaveLength(2 ** 19);
  expect(openEscape(long)).toBeUndefined();
  expect(openEscape(`${long}\\`)).toBe(2 ** 20);
});
