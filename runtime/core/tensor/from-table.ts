import { type Allocate, checkAxes, createTensor, type Tensor } from './tensor.ts';

/**
 * Creates a tensor from nested lists of numbers, one level per axis. Other values are represented by a description, such as "a
 * string".
 */
export function fromTable(allocate: Allocate, table: readonly unknown[]): Tensor {
  const shape = shapeOf(table);
  const tensor = createTensor(allocate, shape);
  const place: number[] = [];
  let at = 0;
  const write = (value: unknown, axis: number): void => {
    const size = shape[axis];
    if (size === undefined) {
      if (typeof value !== 'number') throw new Error(wrong(value, place, 'a number'));
      tensor.data[at++] = value;
      return;
    }
    if (!Array.isArray(value) || value.length !== size) {
      throw new Error(wrong(value, place.slice(0, axis), `a list of ${size}`));
    }
    // Iterates by index, so that holes in the list are found too.
    for (let index = 0; index < size; index++) {
      place[axis] = index + 1;
      write(value[index], axis + 1);
    }
  };
  write(table, 0);
  return tensor;
}

/** Determines the shape from the first element of each list; the others must match. */
function shapeOf(table: readonly unknown[]): number[] {
  const shape: number[] = [];
  for (let value: unknown = table; Array.isArray(value); value = value[0]) {
    shape.push(value.length);
    checkAxes(shape.length);
  }
  return shape;
}

function wrong(value: unknown, place: readonly number[], wanted: string): string {
  const path = place.map((index) => `[${index}]`).join('');
  return (
    `Tensor: ${path} of the table is ${describe(value)}, expected ${wanted}. Tensors are created from numbers, ` +
    'or from nested lists of equal length.'
  );
}

function describe(value: unknown): string {
  return Array.isArray(value) ? `a list of ${value.length}` : String(value);
}
