import { resolveAxis } from './axis.ts';
import { changeLanes } from './lanes.ts';
import { deviations } from './standard-deviation.ts';
import type { Allocate, Tensor } from './tensor.ts';

/** Normalizes each lane to mean 0 and variance 1; `epsilon` is added to the variance. */
export function layerNorm(allocate: Allocate, tensor: Tensor, axis: number, epsilon: number): Tensor {
  const index = resolveAxis(axis, tensor.shape, 'layer_norm');
  return changeLanes(allocate, tensor, index, layerNormLane, epsilon);
}

function layerNormLane(
  out: Float32Array,
  data: Float32Array,
  at: number,
  end: number,
  step: number,
  epsilon: number,
): void {
  const { mean, squares } = deviations(data, at, end, step);
  const deviation = Math.sqrt(squares / ((end - at) / step) + epsilon);
  for (let i = at; i < end; i += step) out[i] = ((data[i] ?? 0) - mean) / deviation;
}
