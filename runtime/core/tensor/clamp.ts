import { type Allocate, makeTensor, type Tensor } from './tensor.ts';

/** At least `least` and at most `most`, where these are given; if they contradict each other, `most`. NaN makes everything NaN. */
export function clamp(
  allocate: Allocate,
  tensor: Tensor,
  least: number | undefined,
  most: number | undefined,
): Tensor {
  const out = makeTensor(allocate, tensor.shape);
  clampAll(out.data, tensor.data, least ?? -Infinity, most ?? Infinity);
  return out;
}

function clampAll(out: Float32Array, data: Float32Array, least: number, most: number): void {
  for (let at = 0; at < out.length; at++) out[at] = Math.min(Math.max(data[at] ?? 0, least), most);
}
