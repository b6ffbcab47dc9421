import { resolveAxis } from './axis.ts';
import { changeLanes } from './lanes.ts';
import { describeShape } from './shape.ts';
import type { Allocate, Tensor } from './tensor.ts';

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
  const length = Math.max(lengthOf(data, at, end, step, p), MIN_NORM);
  for (let i = at; i < end; i += step) out[i] = (data[i] ?? 0) / length;
}

function lengthOf(data: Float32Array, at: number, end: number, step: number, p: number): number {
  if (p === 1) return sumOfSizes(data, at, end, step);
  if (p === 2) return euclideanLength(data, at, end, step);
  if (p === Infinity) return greatestSize(data, at, end, step);
  let sum = 0;
  for (let i = at; i < end; i += step) sum += Math.abs(data[i] ?? 0) ** p;
  return sum ** (1 / p);
}

function sumOfSizes(data: Float32Array, at: number, end: number, step: number): number {
  let sum = 0;
  for (let i = at; i < end; i += step) sum += Math.abs(data[i] ?? 0);
  return sum;
}

function euclideanLength(data: Float32Array, at: number, end: number, step: number): number {
  let sum = 0;
  for (let i = at; i < end; i += step) {
    const value = data[i] ?? 0;
    sum += value * value;
  }
  return Math.sqrt(sum);
}

/** The limit of the norm as p grows: the maximum absolute value. */
function greatestSize(data: Float32Array, at: number, end: number, step: number): number {
  let greatest = 0;
  for (let i = at; i < end; i += step) greatest = Math.max(greatest, Math.abs(data[i] ?? 0));
  return greatest;
}
