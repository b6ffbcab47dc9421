/** A multi-dimensional array in row-major order. Immutable once created, so tensors can share memory. */
export interface Tensor {
  readonly data: Float32Array;
  /** Size of each axis. */
  readonly shape: readonly number[];
}

/** A tensor, or a number that acts as a tensor without axes. */
export type Operand = Tensor | number;

/** Allocates elements with the value 0. For scripts, the allocator checks the memory limit. */
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

/**
 * Throws if a tensor would be too large, or if it would be empty, but with too many iterations over
 * its other axes.
 */
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

type Shape = readonly number[];

export function elementsIn(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Number of elements, with empty axes counted as 1, because the other axes can nevertheless be long. */
export function extentOf(shape: Shape): number {
  return elementsIn(shape.map((size) => Math.max(size, 1)));
}

export function isSameShape(left: Shape, right: Shape): boolean {
  return left.length === right.length && left.every((size, axis) => size === right[axis]);
}

/** Formats a shape: [2, 3]; dynamic axes have names. */
export function describeShape(shape: readonly (number | string)[]): string {
  return `[${shape.join(', ')}]`;
}

/** Throws unless each size is valid. */
export function checkSizes(sizes: Shape, what: string): void {
  const wrong = sizes.find((size) => !Number.isInteger(size) || size < 0);
  if (wrong === undefined) return;
  throw new Error(
    `${what}: invalid size ${wrong} in ${describeShape(sizes)}: sizes must be integers of at least 0.`,
  );
}

/**
 * Converts a script's axis (from 1, or negative from the end) to an index from 0. `what` is the
 * operation, for messages.
 */
export function resolveAxis(axis: number, shape: readonly number[], what: string): number {
  const index = indexFromEither(axis, shape.length);
  if (index !== undefined) return index;
  throw new Error(
    `${what}: axis ${axis} is out of range for a tensor of shape ${describeShape(shape)}: ${axesOf(shape.length)}.`,
  );
}

/** Converts a script's position to an index: 1 is the first and -1 the last of `count`. */
export function indexFromEither(position: number, count: number): number | undefined {
  if (!Number.isInteger(position)) return undefined;
  const index = position > 0 ? position - 1 : count + position;
  return position !== 0 && index >= 0 && index < count ? index : undefined;
}

function axesOf(rank: number): string {
  if (rank === 0) return 'it has no axes';
  if (rank === 1) return 'it has only axis 1, or -1 from the end';
  return `it has axes 1 to ${rank}, or -1 to -${rank} from the end`;
}

/** A tensor's axes, grouped around one axis: element (o, a, i) is at `(o * size + a) * inner + i`. */
interface Split {
  /** Product of the sizes of the preceding axes. */
  readonly outer: number;
  readonly size: number;
  /** Product of the sizes of the following axes, which is the stride of this axis. */
  readonly inner: number;
}

export function splitAt(shape: readonly number[], axis: number): Split {
  return {
    outer: elementsIn(shape.slice(0, axis)),
    size: shape[axis] ?? 1,
    inner: elementsIn(shape.slice(axis + 1)),
  };
}
