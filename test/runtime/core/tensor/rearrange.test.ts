import { array, assert as assertAll, constant, integer, nat, pre, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concat, transpose, truncateAxis, mapAxis } from '#core/tensor/rearrange.ts';
import { elementAt } from '#core/tensor/convert.ts';
import { matmul } from '#core/tensor/matmul.ts';
import { meanPool } from '#core/tensor/mean-pool.ts';
import { reduceAxis, ARGMAX, MAX, MEAN, MIN, SUM } from '#core/tensor/reduce.ts';
import { allocateFloats, type Tensor } from '#core/tensor/tensor.ts';
import { at, indexes, numbered, RUNS, shapes } from './arbitrary-tensors.ts';

/** A shape and one of its axes, from 0. */
const shapeAndAxis = shapes(1, 5).chain((shape) =>
  record({ shape: constant(shape), axis: integer({ min: 0, max: shape.length - 1 }) }),
);
/** The element that a function returns for every index of a shape. */
const tensorOf = (shape: number[], find: (index: number[]) => number): Tensor => ({
  data: Float32Array.from(indexes(shape), find),
  shape,
});

describe('elements move to the right positions', () => {
  test('transpose', () => {
    assertAll(
      property(shapes(2, 5), (shape) => {
        const [rows = 0, columns = 0] = shape.slice(-2);
        const swapped = ([...index]: number[]): number[] => [
          ...index.slice(0, -2),
          ...index.slice(-2).toReversed(),
        ];
        const expected = tensorOf([...shape.slice(0, -2), columns, rows], (index) =>
          at(numbered(shape), swapped(index)),
        );
        expect(transpose(allocateFloats, numbered(shape))).toEqual(expected);
      }),
      RUNS,
    );
  });

  test('truncateAxis', () => {
    assertAll(
      property(shapeAndAxis, nat(5), ({ shape, axis }, length) => {
        const kept = shape.with(axis, Math.min(length, shape[axis] ?? 0));
        const expected = tensorOf(kept, (index) => at(numbered(shape), padded(index, shape)));
        expect(truncateAxis(allocateFloats, numbered(shape), axis + 1, length)).toEqual(expected);
      }),
      RUNS,
    );
  });

  test('concat', () => {
    assertAll(
      property(shapeAndAxis, array(nat(3), { maxLength: 3 }), ({ shape, axis }, more) => {
        const parts = [shape[axis] ?? 0, ...more].map((size, part) =>
          numbered(shape.with(axis, size), part * 1000),
        );
        const joined = concat(allocateFloats, parts, axis - shape.length);
        const owners = parts.flatMap((part) =>
          Array.from({ length: part.shape[axis] ?? 0 }, (_, place) => ({ part, place })),
        );
        const expected = tensorOf(shape.with(axis, owners.length), (index) => {
          const owner = owners[index[axis] ?? 0];
          if (!owner) throw new Error('there are more places than elements');
          return at(owner.part, padded(index.with(axis, owner.place), owner.part.shape));
        });
        expect(joined).toEqual(expected);
      }),
      RUNS,
    );
  });

  test('mapAxis splits a tensor and joins the results', () => {
    assertAll(
      property(shapeAndAxis, ({ shape, axis }) => {
        pre(shape[axis] !== 0);
        const seen: Tensor[] = [];
        const same = mapAxis(allocateFloats, numbered(shape), axis + 1, (slice) => {
          seen.push(slice);
          return slice;
        });
        expect(same).toEqual(numbered(shape));
        const slices = Array.from({ length: shape[axis] ?? 0 }, (_, place) =>
          tensorOf(shape.toSpliced(axis, 1), (index) => at(numbered(shape), index.toSpliced(axis, 0, place))),
        );
        expect(seen).toEqual(slices);
      }),
      RUNS,
    );
  });

  test('elementAt shares the memory of its tensor', () => {
    const tensor = numbered([3, 2, 2]);
    const part = elementAt(tensor, -2) as Tensor;
    expect(part).toEqual({ data: numbered([2, 2], 7).data, shape: [2, 2] });
    expect(part.data.buffer).toBe(tensor.data.buffer);
    expect(elementAt(part, 1)).toEqual({ data: Float32Array.of(7, 8.5), shape: [2] });
    expect(elementAt(elementAt(part, 2) as Tensor, -1)).toBe(11.5);
  });
});

describe('lanes are iterated along every axis', () => {
  const REDUCTIONS = [
    { name: 'SUM', reduction: SUM, naive: (lane: number[]) => lane.reduce((sum, value) => sum + value, 0) },
    {
      name: 'MEAN',
      reduction: MEAN,
      naive: (lane: number[]) => lane.reduce((sum, value) => sum + value, 0) / lane.length,
    },
    { name: 'MAX', reduction: MAX, naive: (lane: number[]) => Math.max(...lane) },
    { name: 'MIN', reduction: MIN, naive: (lane: number[]) => Math.min(...lane) },
    { name: 'ARGMAX', reduction: ARGMAX, naive: (lane: number[]) => lane.indexOf(Math.max(...lane)) },
  ];

  test.each(REDUCTIONS)('$name', ({ reduction, naive }) => {
    assertAll(
      property(shapeAndAxis, ({ shape, axis }) => {
        pre(shape[axis] !== 0);
        const tensor = { ...numbered(shape), data: numbered(shape).data.map((value) => (value * 7) % 5) };
        const expected = tensorOf(shape.toSpliced(axis, 1), (index) =>
          naive(
            Array.from({ length: shape[axis] ?? 0 }, (_, place) =>
              at(tensor, index.toSpliced(axis, 0, place)),
            ),
          ),
        );
        expect(reduceAxis(allocateFloats, tensor, axis + 1, 'test', reduction)).toEqual(expected);
      }),
      RUNS,
    );
  });
});

describe('weighted sums of rows are computed in blocks', () => {
  // More columns than fit in one block.
  const WIDTH = 2500;

  test('matmul supports matrices with many columns', () => {
    const [left, right] = [numbered([2, 3]), numbered([3, WIDTH], -100)];
    const expected = tensorOf([2, WIDTH], ([row = 0, column = 0]) =>
      [0, 1, 2].reduce((sum, i) => sum + at(left, [row, i]) * at(right, [i, column]), 0),
    );
    expect(matmul(allocateFloats, left, right)).toEqual(expected);
  });

  test('meanPool supports wide vectors', () => {
    const [tensor, mask] = [
      numbered([2, 3, WIDTH]),
      { data: Float32Array.of(1, 0, 1, 0, 0, 1), shape: [2, 3] },
    ];
    const expected = tensorOf([2, WIDTH], ([text = 0, column = 0]) =>
      text === 1 ? at(tensor, [1, 2, column]) : (at(tensor, [0, 0, column]) + at(tensor, [0, 2, column])) / 2,
    );
    expect(meanPool(allocateFloats, tensor, mask)).toEqual(expected);
  });
});

/** `at` ignores the index on axes of size 1, but indexes of the result must be exact. */
function padded(index: number[], shape: readonly number[]): number[] {
  const outside = index.some((place, axis) => place >= (shape[axis] ?? 0));
  if (outside) throw new Error(`[${index.join()}] is not in [${shape.join()}]`);
  return index;
}
