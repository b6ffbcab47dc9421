import { checkSizes } from './shape.ts';
import { type Allocate, makeTensor, type Tensor } from './tensor.ts';

/** A tensor of nothing but one value. `what` is who asks. */
export function full(allocate: Allocate, shape: readonly number[], value: number, what: string): Tensor {
  checkSizes(shape, what);
  const tensor = makeTensor(allocate, [...shape]);
  tensor.data.fill(value);
  return tensor;
}
