import { describeShape, elementsIn, extentOf } from './shape.ts';

/** A multi-dimensional array in row-major order. Immutable once created, so tensors can share memory. */
export interface Tensor {
  readonly data: Float32Array;
  /** Size of each axis. */
  readonly shape: readonly number[];
}

/** A tensor, or a number that acts as a tensor without axes. */
export type Operand = Tensor | number;

/** Allocates zeroed elements. Scripts run with an allocator that counts memory. */
export type Allocate = (elements: number) => Float32Array;

/** An allocator without a limit. @internal Exported for tests only. */
export const allocateFloats: Allocate = (elements) => new Float32Array(elements);

/** Maximum number of elements: 2^28 floats are a gigabyte. */
const MAX_ELEMENTS = 2 ** 28;
const MAX_AXES = 8;

/** Creates a tensor of zeros. */
export function createTensor(allocate: Allocate, shape: readonly number[]): Tensor {
  checkExtent(shape);
  return { data: allocate(elementsIn(shape)), shape };
}

/** Throws if a tensor would be too large, or empty but too expensive to iterate over. */
export function checkExtent(shape: readonly number[]): void {
  checkAxes(shape.length);
  const extent = extentOf(shape);
  if (extent > MAX_ELEMENTS) {
    throw new Error(
      `A tensor of shape ${describeShape(shape)} is too large: it would have ${extent} elements; the maximum is ${MAX_ELEMENTS}.`,
    );
  }
}

export function checkAxes(axes: number): void {
  if (axes > MAX_AXES) throw new Error(`A tensor would have ${axes} axes; the maximum is ${MAX_AXES}.`);
}

/** Converts an operand to a tensor, rounded to float32. */
export function toTensor(operand: Operand): Tensor {
  return typeof operand === 'number' ? { data: Float32Array.of(operand), shape: [] } : operand;
}
