import { resolveAxis } from './axis.ts';
import { type LaneReduction, reduceLanes } from './lanes.ts';
import type { Reduction } from './reductions.ts';
import { describeShape } from './shape.ts';
import type { Allocate, Tensor } from './tensor.ts';

/** Reduces one axis and removes it. `what` is the operation, for messages. */
export function reduceAxis(
  allocate: Allocate,
  tensor: Tensor,
  axis: number,
  what: string,
  reduction: Reduction,
): Tensor {
  const index = resolveAxis(axis, tensor.shape, what);
  if (tensor.shape[index] === 0) checkEmpty(tensor, what, reduction);
  return reduceLanes(allocate, tensor, index, reduction.reduce, undefined);
}

/** Reduces all elements to one number, rounded to float32 like an element of a tensor. */
export function reduceAll(tensor: Tensor, what: string, reduction: Reduction): number {
  if (tensor.data.length === 0) checkEmpty(tensor, what, reduction);
  return reduceWhole(tensor, reduction.reduce, undefined);
}

export function reduceWhole<Extra>({ data }: Tensor, reduce: LaneReduction<Extra>, extra: Extra): number {
  const out = new Float32Array(1);
  reduce(out, 0, data, 0, data.length, 1, extra);
  return out[0] ?? 0;
}

function checkEmpty({ shape }: Tensor, what: string, { needsElements }: Reduction): void {
  if (needsElements) {
    throw new Error(`${what}: a tensor of shape ${describeShape(shape)} has no elements to choose from.`);
  }
}
