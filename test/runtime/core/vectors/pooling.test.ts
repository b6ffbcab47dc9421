import { describe, expect, test } from 'vitest';
import { poolRows } from '#core/vectors/pooling.ts';
import { POOLINGS } from '#contract/sentence.ts';

const ROWS = Float32Array.of(1, -2, 3, -4, 8, -9);
const pool = (...args: Parameters<typeof poolRows>): number[] => [...poolRows(...args)];

describe('poolRows', () => {
  test.each([
    ['mean', [4, -5]],
    ['cls', [1, -2]],
    ['max', [8, -2]],
    ['last', [8, -9]],
    ['none', [1, -2, 3, -4, 8, -9]],
    ['mean_sqrt_len_tokens', [12 / Math.sqrt(3), -15 / Math.sqrt(3)].map(Math.fround)],
    ['weightedmean', [31 / 6, -37 / 6].map(Math.fround)],
    [
      ['last', 'cls'],
      [8, -9, 1, -2],
    ],
  ] as const)('%s pools three rows', (pooling, expected) => {
    expect(pool(ROWS, 2, pooling)).toEqual(expected);
  });

  test.each([
    ['mean', [5.5, -6.5]],
    ['cls', [3, -4]],
    ['max', [8, -4]],
    ['last', [8, -9]],
    ['none', [1, -2, 3, -4, 8, -9]],
    ['mean_sqrt_len_tokens', [11 / Math.sqrt(2), -13 / Math.sqrt(2)].map(Math.fround)],
    // The weights are the positions in the whole text: 2 and 3.
    ['weightedmean', [30 / 5, -35 / 5]],
    [
      ['mean', 'last'],
      [5.5, -6.5, 8, -9],
    ],
  ] as const)('%s skips the first row', (pooling, expected) => {
    expect(pool(ROWS, 2, pooling, 1)).toEqual(expected);
  });

  test.each(POOLINGS.filter((pooling) => pooling !== 'none'))(
    '%s is zero without rows, or if all rows are masked',
    (pooling) => {
      for (const skip of [3, 4, 99]) expect(pool(ROWS, 2, pooling, skip)).toEqual([0, 0]);
      expect(pool(new Float32Array(), 2, pooling)).toEqual([0, 0]);
    },
  );

  test('the input is not modified', () => {
    const values = Float32Array.from(ROWS);
    for (const pooling of POOLINGS) poolRows(values, 2, pooling, 1);
    expect(values).toEqual(ROWS);
  });

  test('the maximum preserves NaN', () => {
    expect(pool(Float32Array.of(NaN, 1, 5, NaN), 2, 'max')).toEqual([NaN, NaN]);
    expect(pool(Float32Array.of(-Infinity, 1, -Infinity, 2), 2, 'max')).toEqual([-Infinity, 2]);
  });
});
