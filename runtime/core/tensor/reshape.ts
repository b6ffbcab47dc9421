import { checkSizes, describeShape, elementsIn } from './shape.ts';
import { checkExtent, type Tensor } from './tensor.ts';

/** The same elements in the same order with another shape; one size can be -1 and is computed from the others. */
export function reshape({ data, shape }: Tensor, sizes: readonly number[]): Tensor {
  const unknown = sizes.indexOf(-1);
  const known = unknown === -1 ? sizes : sizes.toSpliced(unknown, 1);
  checkSizes(known, 'reshape');
  const rest = data.length / elementsIn(known);
  const isWhole = unknown === -1 ? elementsIn(known) === data.length : Number.isInteger(rest);
  if (!isWhole) {
    throw new Error(
      `reshape: a tensor of shape ${describeShape(shape)} has ${data.length} elements and cannot become ${describeShape(sizes)}.`,
    );
  }
  const wanted = unknown === -1 ? [...sizes] : sizes.with(unknown, rest);
  checkExtent(wanted);
  return { data, shape: wanted };
}
