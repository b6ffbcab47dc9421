import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { codePoints, startOfText } from '#core/text/code-points.ts';

test('counts the same code points as iterating over the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(codePoints(text)).toBe(Array.from(text).length);
    }),
  );
  expect(['', 'a', '🙂', 'e\u0301', '\uD83D', '\uDE42\uD83D'].map(codePoints)).toEqual([0, 1, 1, 2, 1, 2]);
});

test('the start of a text has the same code points as a slice of the list of all', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(12), (text, count) => {
      expect(startOfText(text, count)).toBe(Array.from(text).slice(0, count).join(''));
    }),
  );
});
