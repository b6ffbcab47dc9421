import { checkSizes } from './shape.ts';
import { type Allocate, createTensor, type Tensor } from './tensor.ts';

/** A tensor filled with one value. `what` is the operation, for messages. */
export function full(allocate: Allocate, shape: readonly number[], value: number, what: string): Tensor {
  checkSizes(shape, what);
  const tensor = createTensor(allocate, [...shape]);
  tensor.data.fill(value);
  return tensor;
}
