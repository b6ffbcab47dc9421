import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatGoDuration } from '#manager/http/views/server-view.ts';

// The output of Go 1.26 for these values.
test.each([
  [0, '0s'],
  [1, '1ns'],
  [999, '999ns'],
  [1_000, '1µs'],
  [1_100, '1.1µs'],
  [350_500, '350.5µs'],
  [999_999, '999.999µs'],
  [1_000_000, '1ms'],
  [1_234_567, '1.234567ms'],
  [2_200_000, '2.2ms'],
  [999_999_999, '999.999999ms'],
  [1_000_000_000, '1s'],
  [2_500_000_000, '2.5s'],
  [3_300_000_001, '3.300000001s'],
  [59_999_999_999, '59.999999999s'],
  [60_000_000_000, '1m0s'],
  [60_500_000_000, '1m0.5s'],
  [245_000_000_000, '4m5s'],
  [3_600_000_000_000, '1h0m0s'],
  [18_367_001_000_000, '5h6m7.001s'],
  [-1_234_567, '-1.234567ms'],
])('%d nanoseconds are formatted as %s', (nanoseconds, text) => {
  expect(formatGoDuration(nanoseconds)).toBe(text);
});

test('uses the Latin-1 micro sign, like Go', () => {
  expect(formatGoDuration(1500).codePointAt(3)).toBe(0xb5);
});

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Parses a duration exactly. */
function nanosecondsIn(text: string): bigint {
  let sum = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(
    /(\d+)(?:\.(\d+))?(ns|µs|ms|s|m|h)/g,
  )) {
    const size = UNITS[unit] ?? 0n;
    sum += BigInt(whole) * size + (BigInt(`0${fraction}`) * size) / 10n ** BigInt(fraction.length);
  }
  return text.startsWith('-') ? -sum : sum;
}

test('every duration survives a round trip to the nanosecond, without redundant digits', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }), (nanoseconds) => {
      const text = formatGoDuration(nanoseconds);
      expect(nanosecondsIn(text)).toBe(BigInt(nanoseconds));
      expect(text).not.toMatch(/\.\d*0(?=\D)|\.(?=\D)/);
    }),
  );
});
