import { splitAt, type Allocate, createTensor, type Tensor } from './tensor.ts';

/** Reduces a lane, the elements along one axis: from `at` up to `end`, `step` apart. The result is written to `out[to]`. */
export type LaneReduction<Extra> = (
  out: Float32Array,
  to: number,
  data: Float32Array,
  at: number,
  end: number,
  step: number,
  extra: Extra,
) => void;

/** Rewrites the elements of a lane in place. */
export type LaneChange<Extra> = (
  out: Float32Array,
  data: Float32Array,
  at: number,
  end: number,
  step: number,
  extra: Extra,
) => void;

// Lane functions receive additional data as `extra`, because loops are slower in closures than in
// plain functions.

/** Reduces each lane to one number, and returns a tensor without the axis. Here, axes are numbered from 0. */
export function reduceLanes<Extra>(
  allocate: Allocate,
  tensor: Tensor,
  axis: number,
  reduction: LaneReduction<Extra>,
  extra: Extra,
): Tensor {
  const out = createTensor(allocate, tensor.shape.toSpliced(axis, 1));
  const { outer, size, inner } = splitAt(tensor.shape, axis);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const at = o * size * inner + i;
      reduction(out.data, o * inner + i, tensor.data, at, at + size * inner, inner, extra);
    }
  }
  return out;
}

/** Changes each lane and returns a tensor of the same shape. */
export function changeLanes<Extra>(
  allocate: Allocate,
  tensor: Tensor,
  axis: number,
  change: LaneChange<Extra>,
  extra: Extra,
): Tensor {
  const out = createTensor(allocate, tensor.shape);
  if (out.data.length === 0) return out;
  const { outer, size, inner } = splitAt(tensor.shape, axis);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const at = o * size * inner + i;
      change(out.data, tensor.data, at, at + size * inner, inner, extra);
    }
  }
  return out;
}
