import { resolveAxis } from './axis.ts';
import { exponential, createPowers, type Powers } from './exponential.ts';
import { changeLanes } from './lanes.ts';
import type { Allocate, Tensor } from './tensor.ts';

/** Softmax, numerically stable for large values. A lane with only -infinity gives NaN. */
export function softmax(allocate: Allocate, tensor: Tensor, axis: number): Tensor {
  const index = resolveAxis(axis, tensor.shape, 'softmax');
  return changeLanes(allocate, tensor, index, softmaxLane, createPowers());
}

function softmaxLane(
  out: Float32Array,
  data: Float32Array,
  at: number,
  end: number,
  step: number,
  powers: Powers,
): void {
  let max = -Infinity;
  for (let i = at; i < end; i += step) max = Math.max(max, data[i] ?? 0);
  let sum = 0;
  for (let i = at; i < end; i += step) {
    const value = exponential((data[i] ?? 0) - max, powers);
    out[i] = value;
    sum += value;
  }
  const factor = 1 / sum;
  for (let i = at; i < end; i += step) out[i] = (out[i] ?? 0) * factor;
}
