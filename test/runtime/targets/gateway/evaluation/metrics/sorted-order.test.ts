import { array, assert, boolean, constantFrom, double, integer, oneof, property } from 'fast-check';
import { expect, test } from 'vitest';
import { sortedOrder } from '#gateway/evaluation/metrics/sorted-order.ts';

/** A comparison sort: equal numbers keep their order, and NaN comes last. */
const compared = (numbers: readonly number[], isDescending: boolean): number[] =>
  [...numbers.keys()].sort((one, other) => {
    const [first = 0, second = 0] = [numbers[one], numbers[other]];
    const nans = Number(Number.isNaN(first)) - Number(Number.isNaN(second));
    if (nans !== 0) return nans;
    if (first === second || Number.isNaN(first)) return one - other;
    return first < second === isDescending ? 1 : -1;
  });

const number = oneof(
  double(),
  integer({ min: -3, max: 3 }),
  constantFrom(Number.NaN, 0, -0, Infinity, -Infinity, Number.MIN_VALUE, -Number.MAX_VALUE),
);

test('numbers are sorted exactly as by a comparison sort, in ascending and descending order', () => {
  assert(
    property(array(number), boolean(), (numbers, isDescending) => {
      expect([...sortedOrder(numbers, isDescending)]).toEqual(compared(numbers, isDescending));
    }),
    { numRuns: 300 },
  );
});
