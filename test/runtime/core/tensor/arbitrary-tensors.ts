import { type Arbitrary, array, boolean, constant, integer, oneof, tuple } from 'fast-check';
import type { Tensor } from '#core/tensor/tensor.ts';

/** The same cases in every run. */
export const RUNS = { seed: 4, numRuns: 400 };

/** Mostly not 0, because an empty tensor requires no computation. */
const size = oneof(
  { weight: 15, arbitrary: integer({ min: 1, max: 4 }) },
  { weight: 1, arbitrary: constant(0) },
);

export const shapes = (least: number, most: number): Arbitrary<number[]> =>
  array(size, { minLength: least, maxLength: most });

/** Distinct elements, so that no two can be confused; `from` is the first. */
export function numbered(shape: readonly number[], from = 1): Tensor {
  const length = shape.reduce((product, size) => product * size, 1);
  return { data: Float32Array.from({ length }, (_, at) => from + at * 1.5), shape };
}

/** A shape, and other shapes that broadcast to it, in which some axes are 1 or the first ones are missing. */
export function broadcastable(count: number): Arbitrary<{ shape: number[]; operands: number[][] }> {
  return shapes(0, 5).chain((shape) => {
    const operand = tuple(integer({ min: 0, max: shape.length }), array(boolean(), sizes(shape.length))).map(
      ([missing, ones]) => shape.map((size, axis) => (ones[axis] ? 1 : size)).slice(missing),
    );
    return array(operand, sizes(count)).map((operands) => ({ shape, operands }));
  });
}

const sizes = (length: number): { minLength: number; maxLength: number } => ({
  minLength: length,
  maxLength: length,
});

/** Every index of a shape, in order of the last axis. */
export function indexes(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (found, size) => found.flatMap((index) => Array.from({ length: size }, (_, at) => [...index, at])),
    [[]],
  );
}

/** The element at an index, which can have more axes than the tensor; axes of size 1 are repeated. */
export function at({ data, shape }: Tensor, index: readonly number[]): number {
  const own = index.slice(index.length - shape.length);
  const place = shape.reduce((place, size, axis) => place * size + (size === 1 ? 0 : (own[axis] ?? 0)), 0);
  const value = data[place];
  if (value === undefined) throw new Error(`[${index.join()}] is not in a tensor of shape [${shape.join()}]`);
  return value;
}
