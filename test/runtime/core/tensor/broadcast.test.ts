import { assert as assertAll, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  add,
  divide,
  multiply,
  subtract,
  broadcastShapes,
  isGreater,
  isGreaterOrEqual,
  isLess,
  isLessOrEqual,
  where,
} from '#core/tensor/broadcast.ts';
import { power } from '#core/tensor/elementwise.ts';
import { allocateFloats, type Tensor } from '#core/tensor/tensor.ts';
import { at, broadcastable, indexes, numbered, RUNS } from './arbitrary-tensors.ts';

const OPERATIONS = [
  { name: 'add', operation: add, naive: (a: number, b: number) => a + b },
  { name: 'subtract', operation: subtract, naive: (a: number, b: number) => a - b },
  { name: 'multiply', operation: multiply, naive: (a: number, b: number) => a * b },
  { name: 'divide', operation: divide, naive: (a: number, b: number) => a / b },
  { name: 'power', operation: power, naive: (a: number, b: number) => a ** b },
  { name: 'isGreater', operation: isGreater, naive: (a: number, b: number) => Number(a > b) },
  { name: 'isGreaterOrEqual', operation: isGreaterOrEqual, naive: (a: number, b: number) => Number(a >= b) },
  { name: 'isLess', operation: isLess, naive: (a: number, b: number) => Number(a < b) },
  { name: 'isLessOrEqual', operation: isLessOrEqual, naive: (a: number, b: number) => Number(a <= b) },
];

describe('binary operations follow broadcasting rules', () => {
  test.each(OPERATIONS)('$name', ({ operation, naive }) => {
    assertAll(
      property(broadcastable(2), ({ operands: [a = [], b = []] }) => {
        const [left, right] = [numbered(a, -3), numbered(b, -1.5)];
        const shape = broadcastShapes(a, b, 'test');
        const result = operation(allocateFloats, left, right);
        const expected = indexes(shape).map((index) => Math.fround(naive(at(left, index), at(right, index))));
        expect(result).toEqual({ data: Float32Array.from(expected), shape });
      }),
      RUNS,
    );
  });

  test('`where` broadcasts three tensors', () => {
    assertAll(
      property(broadcastable(3), ({ operands: [a = [], b = [], c = []] }) => {
        const condition: Tensor = { ...numbered(a), data: numbered(a).data.map((value) => (value * 2) % 3) };
        const [yes, no] = [numbered(b, 1), numbered(c, -1000)];
        const result = where(allocateFloats, condition, yes, no);
        const chosen = indexes(result.shape).map((index) => at(at(condition, index) === 0 ? no : yes, index));
        expect(result.data).toEqual(Float32Array.from(chosen));
        expect(result.shape).toEqual(broadcastShapes(a, broadcastShapes(b, c, 'test'), 'test'));
      }),
      RUNS,
    );
  });

  test('a number is a tensor without axes, rounded to float32', () => {
    const tensor = numbered([2, 3]);
    const number = { data: Float32Array.of(0.1), shape: [] };
    for (const { operation } of OPERATIONS) {
      expect(operation(allocateFloats, tensor, 0.1)).toEqual(operation(allocateFloats, tensor, number));
    }
    expect(subtract(allocateFloats, 0.1, tensor)).toEqual(subtract(allocateFloats, number, tensor));
  });
});

describe('incompatible shapes are rejected', () => {
  test.each([
    [[2, 3], [4], '+: shapes [2, 3] and [4] cannot be broadcast: axis -1 has 3 and 4 elements.'],
    [
      [2, 3, 4],
      [3, 3, 1],
      '+: shapes [2, 3, 4] and [3, 3, 1] cannot be broadcast: axis -3 has 2 and 3 elements.',
    ],
    [[0], [2], '+: shapes [0] and [2] cannot be broadcast: axis -1 has 0 and 2 elements.'],
  ])('%j and %j', (left, right, message) => {
    expect(() => add(allocateFloats, numbered(left), numbered(right))).toThrow(
      `${message} Sizes are matched from the last axis; they must be equal, or one of them 1.`,
    );
  });
});
