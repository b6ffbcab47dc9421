import { type Allocate, createTensor, type Tensor } from './tensor.ts';

/**
 * Limits elements to `min` and `max`, if given; if they contradict each other, `max` wins. A NaN limit makes everything
 * NaN.
 */
export function clamp(
  allocate: Allocate,
  tensor: Tensor,
  min: number | undefined,
  max: number | undefined,
): Tensor {
  const out = createTensor(allocate, tensor.shape);
  clampAll(out.data, tensor.data, min ?? -Infinity, max ?? Infinity);
  return out;
}

function clampAll(out: Float32Array, data: Float32Array, min: number, max: number): void {
  for (let at = 0; at < out.length; at++) out[at] = Math.min(Math.max(data[at] ?? 0, min), max);
}
