import { type Allocate, createTensor, type Tensor } from './tensor.ts';

/**
 * Limits elements to `least` and `most`, if given; if they contradict each other, `most` wins. A NaN limit makes everything
 * NaN.
 */
export function clamp(
  allocate: Allocate,
  tensor: Tensor,
  least: number | undefined,
  most: number | undefined,
): Tensor {
  const out = createTensor(allocate, tensor.shape);
  clampAll(out.data, tensor.data, least ?? -Infinity, most ?? Infinity);
  return out;
}

function clampAll(out: Float32Array, data: Float32Array, least: number, most: number): void {
  for (let at = 0; at < out.length; at++) out[at] = Math.min(Math.max(data[at] ?? 0, least), most);
}
