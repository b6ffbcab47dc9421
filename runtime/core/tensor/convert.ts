import {
  type Allocate,
  checkAxes,
  createTensor,
  type Tensor,
  describeShape,
  extentOf,
  indexFromEither,
  elementsIn,
  type Operand,
  checkSizes,
} from './tensor.ts';
import { shortestFloat32 } from '../numbers/float32.ts';

/**
 * Creates a tensor from nested lists of numbers, one level per axis. The lists contain other values
 * as descriptions, such as "a string", for messages.
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
    // Iterates by index, so that holes in the list are found, too.
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

/** Nested lists of numbers, one level per axis. */
export type NestedNumbers = number | readonly NestedNumbers[];

/** Maximum number of elements to convert to a table, so that a script's memory is not exhausted. */
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

/**
 * Formats the shape and the elements; of long axes, only the elements at both ends. Numbers have
 * the fewest digits that distinguish them in float32.
 */
export function toText({ data, shape }: Tensor): string {
  const edge = edgeFor(data.length, shape.length);
  const write = (axis: number, at: number, block: number): string => {
    const size = shape[axis];
    if (size === undefined) return describeNumber(data[at] ?? 0);
    const part = block / size;
    const items = placesOf(size, edge).map((place) =>
      place === undefined ? '...' : write(axis + 1, at + place * part, part),
    );
    // One row per line, with an empty line between matrices.
    const depth = shape.length - axis - 1;
    const between = depth === 0 ? ', ' : `,${'\n'.repeat(depth)}${' '.repeat(axis + 1)}`;
    return `[${items.join(between)}]`;
  };
  return `Tensor of shape ${describeShape(shape)}:\n${write(0, 0, data.length)}`;
}

/** Maximum number of elements of a tensor that is shown completely. */
const MAX_UNABRIDGED_ELEMENTS = 100;

/** Number of elements to show at each end of an axis, so that a few hundred elements are shown in total. */
function edgeFor(elements: number, axes: number): number {
  if (elements <= MAX_UNABRIDGED_ELEMENTS) return MAX_UNABRIDGED_ELEMENTS;
  return axes <= 3 ? 3 : 1;
}

/** Indexes to show; undefined marks the omitted ones. */
function placesOf(size: number, edge: number): (number | undefined)[] {
  const all = (count: number, from: number): number[] => Array.from({ length: count }, (_, i) => from + i);
  return size <= 2 * edge ? all(size, 0) : [...all(edge, 0), undefined, ...all(edge, size - edge)];
}

function describeNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0' : String(shortestFloat32(value));
}

/**
 * Returns the slice at an index of the first axis (from 1, or negative from the end): a tensor
 * without that axis, or a number if there is no other axis.
 */
export function elementAt({ data, shape }: Tensor, position: number): Operand {
  const [size, ...rest] = shape;
  if (size === undefined) {
    throw new Error(
      `index ${position}: a tensor of shape [] has no axis to index; use sum() to get its value.`,
    );
  }
  const index = indexFromEither(position, size);
  if (index === undefined) {
    const range = size === 0 ? 'is empty' : `goes from 1 to ${size}, or -1 to -${size} from the end`;
    throw new Error(
      `index ${position} is out of range for a tensor of shape ${describeShape(shape)}: its first axis ${range}.`,
    );
  }
  if (rest.length === 0) return data[index] ?? 0;
  const block = elementsIn(rest);
  return { data: data.subarray(index * block, (index + 1) * block), shape: rest };
}

/** Creates a tensor filled with one value. `what` is the operation, for messages. */
export function full(allocate: Allocate, shape: readonly number[], value: number, what: string): Tensor {
  checkSizes(shape, what);
  const tensor = createTensor(allocate, [...shape]);
  tensor.data.fill(value);
  return tensor;
}
