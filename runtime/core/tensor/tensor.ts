import { describeShape, elementsIn, extentOf } from './shape.ts';

/**
 * Numbers along any number of axes, row after row: the last axis runs fastest. Never written to once made, so tensors may share
 * memory.
 */
export interface Tensor {
  readonly data: Float32Array;
  /** How many there are along each axis. */
  readonly shape: readonly number[];
}

/** A number stands for a tensor without axes. */
export type Operand = Tensor | number;

/** Makes room for so many numbers, all of them zero. Who runs a script passes one that counts. */
export type Allocate = (elements: number) => Float32Array;

/** An allocator without a limit. @internal Exported for tests only. */
export const allocateFloats: Allocate = (elements) => new Float32Array(elements);

/** What can be asked for is far more than what can be meant: 2^28 numbers are a gigabyte. */
const MOST_ELEMENTS = 2 ** 28;
const MOST_AXES = 8;

/** A tensor of zeros, to be filled. */
export function makeTensor(allocate: Allocate, shape: readonly number[]): Tensor {
  checkExtent(shape);
  return { data: allocate(elementsIn(shape)), shape };
}

/** Throws if a tensor would be too large, or would take too long to walk through although it is empty. */
export function checkExtent(shape: readonly number[]): void {
  checkAxes(shape.length);
  const extent = extentOf(shape);
  if (extent > MOST_ELEMENTS) {
    throw new Error(
      `A tensor of shape ${describeShape(shape)} is too large: it would have ${extent} elements; the maximum is ${MOST_ELEMENTS}.`,
    );
  }
}

export function checkAxes(axes: number): void {
  if (axes > MOST_AXES) throw new Error(`A tensor would have ${axes} axes; the maximum is ${MOST_AXES}.`);
}

/** Rounded to float32 like every number in a tensor. */
export function toTensor(operand: Operand): Tensor {
  return typeof operand === 'number' ? { data: Float32Array.of(operand), shape: [] } : operand;
}
