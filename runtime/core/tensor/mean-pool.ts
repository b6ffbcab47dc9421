import {
  describeShape,
  elementsIn,
  isSameShape,
  type Allocate,
  createTensor,
  type Tensor,
} from './tensor.ts';
import { weighRows } from './matmul.ts';

/**
 * Mean of each text's token vectors, weighted by the mask: [batch, tokens, width] and a mask
 * [batch, tokens] give [batch, width]. Additional axes between the first and the last count as
 * tokens. An all-zero mask gives NaN.
 */
export function meanPool(allocate: Allocate, tensor: Tensor, mask: Tensor): Tensor {
  const { shape } = tensor;
  if (shape.length < 2 || !isSameShape(mask.shape, shape.slice(0, -1))) throw new Error(misfit(tensor, mask));
  const [batch = 1, width = 1] = [shape[0], shape.at(-1)];
  const out = createTensor(allocate, [batch, width]);
  if (out.data.length === 0) return out;
  const tokens = elementsIn(shape.slice(1, -1));
  for (let text = 0; text < batch; text++) {
    const weights = mask.data.subarray(text * tokens, (text + 1) * tokens);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const rows = tensor.data.subarray(text * tokens * width, (text + 1) * tokens * width);
    weighRows(out.data, text * width, weights, rows, width, total);
  }
  return out;
}

function misfit({ shape }: Tensor, mask: Tensor): string {
  const shapes = `mean_pool: a mask of shape ${describeShape(mask.shape)} does not match a tensor of shape ${describeShape(shape)}`;
  if (shape.length < 2)
    return `${shapes}, which must have at least two axes, for example [batch, tokens, width].`;
  return `${shapes}: it must have all axes of the tensor except the last, ${describeShape(shape.slice(0, -1))}.`;
}
