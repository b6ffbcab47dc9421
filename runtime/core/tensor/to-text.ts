import { shortestFloat32 } from '../numbers/float32.ts';
import { describeShape } from './shape.ts';
import type { Tensor } from './tensor.ts';

/** Formats shape and elements, with only both ends of long axes, in the shortest form that distinguishes float32 numbers. */
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

/** Number of elements up to which all are shown. */
const MAX_UNABRIDGED_ELEMENTS = 100;

/** Number of elements to show at both ends of an axis, so that the total is some hundreds. */
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
