import { describe, expect, test } from 'vitest';
import { encodeFloats } from '#encoder/json/json-writer.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { boundaryFloats, randomFloats, withNeighbours } from '../float32-values.ts';
import { shortestDecimals } from '../float32-exact.ts';

describe('shortestFloat32', () => {
  test('returns the closest of the shortest decimals that round-trip, by exact arithmetic', () => {
    const values = new Set([...boundaryFloats(), ...randomFloats(1, 20_000)].filter(Number.isFinite));
    expect(values.size).toBeGreaterThan(50_000);
    const wrong = [...values].filter(
      (value) => !shortestDecimals(value).includes(String(Math.abs(shortestFloat32(value)))),
    );
    expect(wrong).toEqual([]);
  });

  test('a power of two can be closer to a shorter decimal above it', () => {
    // 2^-96 is 1.262177448e-29: 1.2621774e-29 is already the number below it.
    expect(String(shortestFloat32(2 ** -96))).toBe('1.2621775e-29');
    expect(String(shortestFloat32(-(2 ** -96)))).toBe('-1.2621775e-29');
  });
});

describe('encodeFloats', () => {
  const encode = (values: Float32Array): string => new TextDecoder().decode(encodeFloats(values));
  const expected = (values: Float32Array): string => JSON.stringify(Array.from(values, shortestFloat32));

  test('prints a million random bit patterns in the same way as JSON.stringify of shortestFloat32', () => {
    for (let round = 0; round < 100; round++)
      expect(firstDifference(randomFloats(round, 10_000))).toBeUndefined();
  });

  test('prints powers of two and ten, integers, subnormals and adjacent values', () => {
    expect(firstDifference(boundaryFloats())).toBeUndefined();
  });

  test('prints values of every magnitude with few digits, and adjacent values', () => {
    const few: number[] = [];
    for (let exponent = -46; exponent < 39; exponent++) {
      for (let digits = 1; digits < 1000; digits += 7) few.push(Number(`${digits}e${exponent}`));
    }
    expect(firstDifference(withNeighbours(few))).toBeUndefined();
  });

  test('prints values whose rounding interval ends at a shorter decimal', () => {
    // Found by exhaustive search: double arithmetic places these decimals on the wrong side of the boundary because of its rounding error.
    const values = Uint32Array.of(0x2bc4a9be, 0x30c4a9be, 0x35ca9243);
    expect(firstDifference(new Float32Array(values.buffer))).toBeUndefined();
  });

  test('prints lists of every length near the chunk size', () => {
    for (const length of [0, 1, 2, 127, 128, 129, 255, 256, 257, 5000]) {
      expect(firstDifference(randomFloats(length, length))).toBeUndefined();
      expect(firstDifference(new Float32Array(length).fill(-0.012_345_678))).toBeUndefined();
      expect(firstDifference(new Float32Array(length).fill(-1.175_494_35e-38))).toBeUndefined();
    }
  });

  test('prints a range of a longer array', () => {
    const values = randomFloats(3, 100).subarray(7, 50);
    expect(firstDifference(values)).toBeUndefined();
  });

  /** Compared as a whole first, because a million single comparisons are slow. */
  function firstDifference(values: Float32Array): string | undefined {
    const text = encode(values);
    const wanted = expected(values);
    if (text === wanted) return undefined;
    const numbers = wanted.split(',');
    const index = text.split(',').findIndex((number, at) => number !== numbers[at]);
    return `${text.split(',')[index]} instead of ${numbers[index]}`;
  }
});
