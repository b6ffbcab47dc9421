import { resolveAxis, splitAt } from './axis.ts';
import { copyBlocks } from './copy-blocks.ts';
import { describeShape, isSameShape } from './shape.ts';
import { type Allocate, createTensor, type Tensor } from './tensor.ts';

/** Concatenates tensors along an axis; their other axes must be equal. */
export function concat(allocate: Allocate, tensors: readonly Tensor[], axis: number): Tensor {
  const [first] = tensors;
  if (first === undefined) {
    throw new Error('concat: the list of tensors is empty; at least one tensor is required.');
  }
  const index = resolveAxis(axis, first.shape, 'concat');
  checkShapes(tensors, first, index);
  const length = tensors.reduce((sum, { shape }) => sum + (shape[index] ?? 0), 0);
  const out = createTensor(allocate, first.shape.with(index, length));
  const { outer, inner } = splitAt(out.shape, index);
  let at = 0;
  for (const { data, shape } of tensors) {
    const block = (shape[index] ?? 0) * inner;
    copyBlocks({ data: out.data, at, step: length * inner }, { data, at: 0, step: block }, block, outer);
    at += block;
  }
  return out;
}

function checkShapes(tensors: readonly Tensor[], first: Tensor, axis: number): void {
  const rest = first.shape.toSpliced(axis, 1);
  const odd = tensors.findIndex(
    ({ shape }) => shape.length !== first.shape.length || !isSameShape(shape.toSpliced(axis, 1), rest),
  );
  if (odd === -1) return;
  throw new Error(
    `concat: tensor 1 has shape ${describeShape(first.shape)} and tensor ${odd + 1} has shape ` +
      `${describeShape(tensors[odd]?.shape ?? [])}; shapes may differ only in axis ${axis + 1}.`,
  );
}
