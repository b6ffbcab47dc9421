import { assert, bigInt, constantFrom, double, integer, jsonValue, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';

const roundTrip = (text: string): string => JSON.stringify(parseLossless(text));

test('integers beyond 2^53 are returned unchanged', () => {
  for (const text of [
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    `1${'0'.repeat(400)}7`,
  ]) {
    expect(roundTrip(text)).toBe(text);
  }
  assert(
    property(bigInt(), (value) => {
      expect(roundTrip(`{"value":[${value}]}`)).toBe(`{"value":[${value}]}`);
    }),
  );
});

test('decimals that a double cannot represent exactly are kept', () => {
  for (const text of ['0.1234567890123456789', '3.14159265358979323846', '1e400', '-1e-400', '1.5E+999']) {
    expect(roundTrip(text)).toBe(text);
    expect(isRawNumber(parseLossless(text))).toBe(true);
  }
});

test('no number changes its value', () => {
  const digits = bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
  const exponent = integer({ min: -340, max: 340 });
  assert(
    property(tuple(digits, exponent, constantFrom('e', 'E')), ([mantissa, power, letter]) => {
      const text = `${mantissa}${letter}${power}`;
      expect(sameValue(roundTrip(text), text)).toBe(true);
    }),
  );
});

test('a number that a double represents exactly is parsed as a number', () => {
  assert(
    property(double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(parseLossless(JSON.stringify(value))).toBe(value === 0 ? 0 : value);
    }),
  );
  for (const text of ['1.50', '1e5', '100000000000000000000', '0.10000000000000000', '0', '0.0e0']) {
    expect(parseLossless(text)).toBe(Number(text));
  }
});

test('an exponent of many digits is kept, because computing with millions of digits takes seconds', () => {
  for (const exponent of [`${'0'.repeat(100)}5`, '9'.repeat(16_000_000), `-${'9'.repeat(16_000_000)}`])
    expect(JSON.stringify(parseLossless(`[1e${exponent}]`))).toBe(`[1e${exponent}]`);
  expect(parseLossless('[1e0005]')).toEqual([100_000]);
});

test('anything else is parsed as by JSON.parse', () => {
  assert(
    property(jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(roundTrip(text)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
  expect(() => parseLossless('{"a":')).toThrow(SyntaxError);
  // Digits in texts are not numbers.
  expect(parseLossless('"12345678901234567890"')).toBe('12345678901234567890');
});

test('a `__proto__` key remains a normal key', () => {
  for (const number of ['1', '12345678901234567890']) {
    const value = parseLossless(`{"__proto__":{"admin":true},"number":${number}}`) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'number']);
    expect('admin' in value).toBe(false);
  }
});

/** Compares decimals as fractions of integers. */
function sameValue(left: string, right: string): boolean {
  const [first, second] = [decimal(left), decimal(right)];
  const lowest = Math.min(first.power, second.power);
  const scaled = ({ digits, power }: Decimal): bigint => digits * 10n ** BigInt(power - lowest);
  return scaled(first) === scaled(second);
}

interface Decimal {
  readonly digits: bigint;
  readonly power: number;
}

function decimal(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), power: Number(exponent) - fraction.length };
}
