import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { greatestItems } from '#encoder/math/greatest.ts';

test('the greatest items are the first items of the sorted list', () => {
  // Few different values, so that many are equal.
  const values = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 200 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 100 }), (list, count) => {
      const valueOf = (index: number): number => list[index] ?? 0;
      const sorted = [...list.keys()].sort((left, right) => valueOf(right) - valueOf(left));
      expect(greatestItems(list.keys(), valueOf, count)).toEqual(sorted.slice(0, count));
    }),
  );
});
