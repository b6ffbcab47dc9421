import { resolveAxis, splitAt } from './axis.ts';
import { copyBlocks } from './copy-blocks.ts';
import { type Allocate, createTensor, type Tensor } from './tensor.ts';

/** Keeps the first `length` elements along an axis, or all if there are fewer. */
export function truncateAxis(allocate: Allocate, tensor: Tensor, axis: number, length: number): Tensor {
  const index = resolveAxis(axis, tensor.shape, 'truncate_axis');
  if (!Number.isInteger(length) || length < 0) {
    throw new Error(`truncate_axis: invalid length ${length}: it must be an integer of at least 0.`);
  }
  const { outer, size, inner } = splitAt(tensor.shape, index);
  const kept = Math.min(length, size);
  const out = createTensor(allocate, tensor.shape.with(index, kept));
  const to = { data: out.data, at: 0, step: kept * inner };
  copyBlocks(to, { data: tensor.data, at: 0, step: size * inner }, kept * inner, outer);
  return out;
}
