import { indexFromEither, resolveAxis } from './axis.ts';
import { describeShape } from './shape.ts';
import { checkAxes, type Tensor } from './tensor.ts';

/** Removes one axis of size 1, or all of them. */
export function squeeze({ data, shape }: Tensor, axis: number | undefined): Tensor {
  if (axis === undefined) return { data, shape: shape.filter((size) => size !== 1) };
  const index = resolveAxis(axis, shape, 'squeeze');
  if (shape[index] !== 1) {
    throw new Error(
      `squeeze: axis ${axis} of a tensor of shape ${describeShape(shape)} has ${shape[index]} elements; ` +
        'only axes of size 1 can be removed.',
    );
  }
  return { data, shape: shape.toSpliced(index, 1) };
}

/** Inserts an axis of size 1 at position `axis` of the result. */
export function unsqueeze({ data, shape }: Tensor, axis: number): Tensor {
  const rank = shape.length + 1;
  const index = indexFromEither(axis, rank);
  if (index === undefined) {
    throw new Error(
      `unsqueeze: a tensor of shape ${describeShape(shape)} cannot get a new axis ${axis}: valid axes are 1 to ` +
        `${rank}, or -1 to -${rank} from the end.`,
    );
  }
  checkAxes(rank);
  return { data, shape: shape.toSpliced(index, 0, 1) };
}
