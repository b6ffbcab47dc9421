import { resolveAxis, describeShape, type Allocate, type Tensor } from './tensor.ts';
import { changeLanes } from './lanes.ts';
import { deviations } from './reduce.ts';
import { exponential, createPowers, type Powers } from './elementwise.ts';

/** Divides each lane by its norm, (Σ|x|^p)^(1/p); zero vectors are unchanged. */
export function lpNormalize(allocate: Allocate, tensor: Tensor, p: number, axis: number): Tensor {
  if (p === 0 || Number.isNaN(p)) {
    throw new Error(
      `lp_normalize: invalid p ${p}; use 1 for the sum of absolute values or 2 for the Euclidean norm.`,
    );
  }
  const index = resolveAxis(axis, tensor.shape, 'lp_normalize');
  if (tensor.data.length === 0) {
    throw new Error(
      `lp_normalize: a tensor of shape ${describeShape(tensor.shape)} has no elements to normalize.`,
    );
  }
  return changeLanes(allocate, tensor, index, normalizeLane, p);
}

/** Minimum norm, to avoid division by zero. */
const MIN_NORM = 1e-12;

function normalizeLane(
  out: Float32Array,
  data: Float32Array,
  at: number,
  end: number,
  step: number,
  p: number,
): void {
  const divisor = Math.max(norm(data, at, end, step, p), MIN_NORM);
  for (let i = at; i < end; i += step) out[i] = (data[i] ?? 0) / divisor;
}

function norm(data: Float32Array, at: number, end: number, step: number, p: number): number {
  if (p === 1) return l1(data, at, end, step);
  if (p === 2) return l2(data, at, end, step);
  if (p === Infinity) return lInfinity(data, at, end, step);
  let sum = 0;
  for (let i = at; i < end; i += step) sum += Math.abs(data[i] ?? 0) ** p;
  return sum ** (1 / p);
}

function l1(data: Float32Array, at: number, end: number, step: number): number {
  let sum = 0;
  for (let i = at; i < end; i += step) sum += Math.abs(data[i] ?? 0);
  return sum;
}

function l2(data: Float32Array, at: number, end: number, step: number): number {
  let sum = 0;
  for (let i = at; i < end; i += step) {
    const value = data[i] ?? 0;
    sum += value * value;
  }
  return Math.sqrt(sum);
}

/** The limit of the norm as p grows: the maximum absolute value. */
function lInfinity(data: Float32Array, at: number, end: number, step: number): number {
  let max = 0;
  for (let i = at; i < end; i += step) max = Math.max(max, Math.abs(data[i] ?? 0));
  return max;
}

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

/** Softmax, numerically stable for large values. A lane with only -infinity gives NaN. */
export function softmaxOfTensor(allocate: Allocate, tensor: Tensor, axis: number): Tensor {
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
