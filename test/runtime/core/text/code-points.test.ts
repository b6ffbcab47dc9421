import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { codePoints } from '#core/text/code-points.ts';

test('counts the same code points as iterating over the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(codePoints(text)).toBe(Array.from(text).length);
    }),
  );
  expect(['', 'a', '🙂', 'e\u0301', '\uD83D', '\uDE42\uD83D'].map(codePoints)).toEqual([0, 1, 1, 2, 1, 2]);
});
