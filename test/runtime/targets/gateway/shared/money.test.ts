import { assert, bigInt, property } from 'fast-check';
import { expect, test } from 'vitest';
import { dollarsOf, dollarText, nanosOf } from '#gateway/shared/money.ts';

test.each([
  [0, 0n],
  ['0', 0n],
  [1, 1_000_000_000n],
  ['2.5', 2_500_000_000n],
  [0.1, 100_000_000n],
  [0.1 + 0.2, 300_000_000n],
  ['0.000000001', 1n],
  [1e-9, 1n],
  ['0.0000000005', 1n],
  ['0.00000000049', 0n],
  ['1e3', 1_000_000_000_000n],
  ['.5', 500_000_000n],
  ['5.', 5_000_000_000n],
  ['9000000000', 9_000_000_000_000_000_000n],
  ['9000000000.000000001', undefined],
  ['1e99', undefined],
  ['1e-99', 0n],
  [-1, undefined],
  ['', undefined],
  ['.', undefined],
  ['1,5', undefined],
  ['0x10', undefined],
  [Number.NaN, undefined],
  [Infinity, undefined],
])('%s dollars are %s nano-dollars', (dollars, nanos) => {
  expect(nanosOf(dollars)).toBe(nanos);
});

test.each([
  [0n, '0'],
  [1n, '0.000000001'],
  [1_500_000_000n, '1.5'],
  [-20n, '-0.00000002'],
  [9_000_000_000_000_000_001n, '9000000000.000000001'],
])('%s nano-dollars are formatted as %s', (nanos, text) => {
  expect(dollarText(nanos)).toBe(text);
});

const amount = bigInt({ min: 0n, max: 9_000_000_000_000_000_000n });

test('an amount is unchanged after it is formatted and parsed', () => {
  assert(
    property(amount, (nanos) => {
      expect(nanosOf(dollarText(nanos))).toBe(nanos);
    }),
  );
});

test('an amount of up to four million dollars is unchanged after conversion to a number and back', () => {
  const asNumber = bigInt({ min: 0n, max: 4_000_000_000_000_000n });
  assert(
    property(asNumber, (nanos) => {
      expect(nanosOf(dollarsOf(nanos))).toBe(nanos);
    }),
  );
});
