import { describe, expect, test } from 'vitest';
import { exponentiate, sigmoidOfTensor, exponential, createPowers } from '#core/tensor/elementwise.ts';
import { allocateFloats } from '#core/tensor/tensor.ts';
import { boundaryFloats, randomFloats } from '../float32-values.ts';

describe('exponential', () => {
  const powers = createPowers();

  test('is within 1e-10 of Math.exp wherever the float32 result is neither 0 nor infinite', () => {
    let worst = 0;
    for (let value = -104; value < 89; value += 0.000_713) {
      worst = Math.max(worst, Math.abs(exponential(value, powers) / Math.exp(value) - 1));
    }
    expect(worst).toBeLessThan(1e-10);
    expect(worst).toBeGreaterThan(0);
  });

  test('is exact for exactly representable results', () => {
    expect(exponential(0, powers)).toBe(1);
    expect(exponential(-0, powers)).toBe(1);
    expect(exponential(Number.NaN, powers)).toBeNaN();
  });
});

describe('exp and sigmoid of float32 numbers of every magnitude', () => {
  const data = Float32Array.from([
    ...boundaryFloats(),
    ...randomFloats(1, 20_000),
    Infinity,
    -Infinity,
    Number.NaN,
  ]);
  const tensor = { data, shape: [data.length] };

  test.each([
    { name: 'exp', change: exponentiate, exact: (value: number) => Math.exp(value) },
    { name: 'sigmoid', change: sigmoidOfTensor, exact: (value: number) => 1 / (1 + Math.exp(-value)) },
  ])('$name', ({ change, exact }) => {
    const result = change(allocateFloats, tensor).data;
    const wrong = [...data].filter((value, at) => !isNear(result[at] ?? 0, Math.fround(exact(value))));
    expect(wrong).toEqual([]);
  });

  /** The same or an adjacent float32 number. */
  function isNear(actual: number, expected: number): boolean {
    return (
      Object.is(actual, expected) ||
      Math.abs(actual - expected) <= Math.max(Math.abs(expected) * 2 ** -23, 2 ** -149)
    );
  }
});
