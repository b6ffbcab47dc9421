import { describe, expect, test } from 'vitest';
import { roundMatrix } from '#cli/packaging/quantize/round-matrix.ts';

const INPUTS = 32;
const OUTPUTS = 24;

/** Numbers between -1 and 1, identical in every run. */
function numbers(count: number, seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

const at = (values: ArrayLike<number>, index: number): number => values[index] ?? Number.NaN;

/** Rows of hidden states with similar adjacent columns, and the sums of products of their columns. */
function correlated(rows: number): { states: Float32Array[]; sums: Float32Array } {
  const states = Array.from({ length: rows }, (_, row) => {
    const [shared = 0] = numbers(1, row + 100);
    return numbers(INPUTS, row).map((value) => 0.3 * value + shared);
  });
  const sums = new Float32Array(INPUTS * INPUTS);
  for (const state of states)
    for (const [a, x] of state.entries())
      for (const [b, y] of state.entries()) sums[a * INPUTS + b] = at(sums, a * INPUTS + b) + x * y;
  return { states, sums };
}

const round = (values: Float32Array, sums: Float32Array, block = INPUTS) =>
  roundMatrix({ values: values.slice(), inputs: INPUTS, outputs: OUTPUTS }, { values: sums, block });

/** Mean squared error that rounding adds to the products of hidden states. */
function errorOf(
  original: Float32Array,
  rounded: ReturnType<typeof round>,
  states: readonly Float32Array[],
): number {
  let sum = 0;
  for (const state of states) {
    for (let column = 0; column < OUTPUTS; column += 1) {
      let difference = 0;
      for (const [row, value] of state.entries()) {
        const index = row * OUTPUTS + column;
        difference += value * (at(original, index) - at(rounded.values, index) * at(rounded.scales, column));
      }
      sum += difference ** 2;
    }
  }
  return sum / states.length / OUTPUTS;
}

/** Sums of uncorrelated columns. */
const independent = (block: number): Float32Array =>
  Float32Array.from({ length: INPUTS * block }, (_, index) =>
    Math.floor(index / block) % block === index % block ? 1 : 0,
  );

describe('roundMatrix', () => {
  test('rounds to the nearest integer if columns are independent', () => {
    const values = numbers(INPUTS * OUTPUTS, 1);
    const { values: integers, scales } = round(values, independent(8), 8);
    for (const [index, value] of values.entries())
      expect(Math.abs(value - at(integers, index) * at(scales, index % OUTPUTS))).toBeLessThanOrEqual(
        at(scales, index % OUTPUTS) * 0.5001,
      );
  });

  test('compensates for rounding errors, so that products change less than with plain rounding', () => {
    const values = numbers(INPUTS * OUTPUTS, 2);
    const { states, sums } = correlated(200);
    const alone = errorOf(values, round(values, independent(8), 8), states);
    expect(errorOf(values, round(values, sums), states)).toBeLessThan(alone / 3);
  });

  test('keeps the sum of two adjacent columns within the limit of CPUs without VNNI', () => {
    // The extreme values are adjacent.
    const values = numbers(INPUTS * OUTPUTS, 3).map((value, index) =>
      index < 2 * OUTPUTS ? Math.sign(value) : value * 0.9,
    );
    const { sums } = correlated(50);
    const { values: integers } = round(values, sums);
    let largest = 0;
    for (let row = 0; row < INPUTS; row += 2)
      for (let column = 0; column < OUTPUTS; column += 1) {
        const [a, b] = [at(integers, row * OUTPUTS + column), at(integers, (row + 1) * OUTPUTS + column)];
        largest = Math.max(largest, Math.abs(a) + Math.abs(b));
      }
    expect(largest).toBe(128);
  });

  test('returns finite numbers for zero columns and hidden states that are always zero', () => {
    const { values, scales } = round(new Float32Array(INPUTS * OUTPUTS), new Float32Array(INPUTS * INPUTS));
    expect([...values].every((value) => value === 0)).toBe(true);
    expect([...scales].every((scale) => scale > 0 && Number.isFinite(scale))).toBe(true);
  });
});
