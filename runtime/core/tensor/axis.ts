import { describeShape, elementsIn } from './shape.ts';

/** Converts an axis of a script, from 1 or negative from the end, to an index from 0. `what` is the operation, for messages. */
export function resolveAxis(axis: number, shape: readonly number[], what: string): number {
  const index = indexFromEither(axis, shape.length);
  if (index !== undefined) return index;
  throw new Error(
    `${what}: axis ${axis} is out of range for a tensor of shape ${describeShape(shape)}: ${axesOf(shape.length)}.`,
  );
}

/** Converts a position of a script to an index: 1 is the first and -1 the last of `count`. */
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

/** A tensor viewed along one axis: element (o, a, i) is at `(o * size + a) * inner + i`. */
export interface Split {
  /** Number of elements of the preceding axes together. */
  readonly outer: number;
  readonly size: number;
  /** Number of elements of the following axes, which is the stride of the axis. */
  readonly inner: number;
}

export function splitAt(shape: readonly number[], axis: number): Split {
  return {
    outer: elementsIn(shape.slice(0, axis)),
    size: shape[axis] ?? 1,
    inner: elementsIn(shape.slice(axis + 1)),
  };
}
