import { assert, bigInt, nat, option, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { costAtMost, costOf, dollarsOf, dollarText, nanosOf } from '../../../runtime/core/money.ts';

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
])('%s nano-dollars are written as %s', (nanos, text) => {
  expect(dollarText(nanos)).toBe(text);
});

const amount = bigInt({ min: 0n, max: 9_000_000_000_000_000_000n });

test('an amount survives being written and read', () => {
  assert(
    property(amount, (nanos) => {
      expect(nanosOf(dollarText(nanos))).toBe(nanos);
    }),
  );
});

test('an amount below four million dollars survives being a number', () => {
  const asNumber = bigInt({ min: 0n, max: 4_000_000_000_000_000n });
  assert(
    property(asNumber, (nanos) => {
      expect(nanosOf(dollarsOf(nanos))).toBe(nanos);
    }),
  );
});

const price = record({ input: amount, cachedInput: option(amount), output: amount });
const tokens = record({
  input: nat(10_000_000),
  cachedInput: option(nat(10_000_000), { nil: undefined }),
  output: nat(10_000_000),
});

test('a cost is the exact one, rounded once', () => {
  assert(
    property(tokens, price, (counts, prices) => {
      const cached = BigInt(Math.min(counts.cachedInput ?? 0, counts.input));
      const exact =
        (BigInt(counts.input) - cached) * prices.input +
        cached * (prices.cachedInput ?? prices.input) +
        BigInt(counts.output) * prices.output;
      const error = 1_000_000n * costOf(counts, prices) - exact;
      expect(error > -500_000n && error <= 500_000n, `${error} millionths off`).toBe(true);
      const over = 1_000_000n * costAtMost(counts, prices) - exact;
      expect(over >= 0n && over < 1_000_000n, `${over} millionths above`).toBe(true);
    }),
  );
});

test('the usual formula, with a price for what the provider had in its cache', () => {
  const prices = { input: 2_500_000_000n, cachedInput: 1_250_000_000n, output: 10_000_000_000n };
  expect(costOf({ input: 1000, output: 500 }, prices)).toBe(nanosOf('0.0075'));
  expect(costOf({ input: 1000, cachedInput: 400, output: 500 }, prices)).toBe(nanosOf('0.007'));
  expect(costOf({ input: 1000, cachedInput: 400, output: 500 }, { ...prices, cachedInput: null })).toBe(
    nanosOf('0.0075'),
  );
  expect(costOf({ input: 0, output: 0 }, prices)).toBe(0n);
});
