import { describeShape, extentOf } from './shape.ts';
import type { Tensor } from './tensor.ts';

/** Nested lists of numbers, one level per axis. */
export type NestedNumbers = number | readonly NestedNumbers[];

/** Maximum number of elements of a table; more would fill the memory of a script. */
const MAX_ELEMENTS = 2 ** 22;

export function toTable(tensor: Tensor): NestedNumbers {
  const { shape } = tensor;
  if (extentOf(shape) > MAX_ELEMENTS) {
    throw new Error(
      `totable: a tensor of shape ${describeShape(shape)} is too large for a table; the maximum is ${MAX_ELEMENTS} elements.`,
    );
  }
  return nest(tensor, (value) => value);
}

/** Converts a tensor to nested lists, with `each` applied to the elements. */
export function nest({ data, shape }: Tensor, each: (value: number) => number): NestedNumbers {
  let at = 0;
  const read = (axis: number): NestedNumbers => {
    const length = shape[axis];
    return length === undefined ? each(data[at++] ?? 0) : Array.from({ length }, () => read(axis + 1));
  };
  return read(0);
}
