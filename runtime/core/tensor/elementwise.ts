import { exponential, createPowers } from './exponential.ts';
import { type Allocate, createTensor, type Tensor } from './tensor.ts';

/** Computes all elements; each operation has its own loop, as in `RowKernel`. */
type Fill = (out: Float32Array, data: Float32Array) => void;

const elementwise =
  (fill: Fill) =>
  (allocate: Allocate, tensor: Tensor): Tensor => {
    const out = createTensor(allocate, tensor.shape);
    fill(out.data, tensor.data);
    return out;
  };

export const negate = elementwise((out, data) => {
  for (let at = 0; at < out.length; at++) out[at] = -(data[at] ?? 0);
});

export const absolute = elementwise((out, data) => {
  for (let at = 0; at < out.length; at++) out[at] = Math.abs(data[at] ?? 0);
});

export const squareRoot = elementwise((out, data) => {
  for (let at = 0; at < out.length; at++) out[at] = Math.sqrt(data[at] ?? 0);
});

export const logarithm = elementwise((out, data) => {
  for (let at = 0; at < out.length; at++) out[at] = Math.log(data[at] ?? 0);
});

/** e to the power of each element. */
export const exponentiate = elementwise((out, data) => {
  const powers = createPowers();
  for (let at = 0; at < out.length; at++) out[at] = exponential(data[at] ?? 0, powers);
});

export const sigmoid = elementwise((out, data) => {
  const powers = createPowers();
  for (let at = 0; at < out.length; at++) out[at] = 1 / (1 + exponential(-(data[at] ?? 0), powers));
});
