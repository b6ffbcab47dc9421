import { resolveAxis, splitAt } from './axis.ts';
import { type Allocate, createTensor, type Operand, type Tensor } from './tensor.ts';

/**
 * Folds each slice along an axis to one number: starting with `start`, the function combines the accumulated number with the
 * next element. It returns one number per slice.
 */
export function foldAxis(
  allocate: Allocate,
  { data, shape }: Tensor,
  axis: number,
  start: number,
  fold: (soFar: number, element: number) => Operand,
): Tensor {
  const { outer, size, inner } = splitAt(shape, resolveAxis(axis, shape, 'fold_axis'));
  const out = createTensor(allocate, [size]);
  for (let place = 0; place < size; place++) {
    let soFar = start;
    for (let o = 0; o < outer; o++) {
      const from = (o * size + place) * inner;
      for (let at = from; at < from + inner; at++) soFar = toNumber(fold(soFar, data[at] ?? 0));
    }
    out.data[place] = soFar;
  }
  return out;
}

function toNumber(result: Operand): number {
  if (typeof result === 'number') return result;
  throw new Error('fold_axis: the function returned a tensor; it must return a number.');
}
