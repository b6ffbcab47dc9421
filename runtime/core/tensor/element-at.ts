import { indexFromEither } from './axis.ts';
import { describeShape, elementsIn } from './shape.ts';
import type { Operand, Tensor } from './tensor.ts';

/**
 * Returns the slice at an index of the first axis, from 1 or negative from the end: a tensor without that axis, or a number if
 * there is no other axis.
 */
export function elementAt({ data, shape }: Tensor, position: number): Operand {
  const [size, ...rest] = shape;
  if (size === undefined) {
    throw new Error(
      `index ${position}: a tensor of shape [] has no axis to index; use sum() to get its number.`,
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
