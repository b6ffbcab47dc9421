import { type Allocate, createTensor, type Tensor, type Operand } from './tensor.ts';
import { combine, type BroadcastRow } from './broadcast.ts';

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

export const sigmoidOfTensor = elementwise((out, data) => {
  const powers = createPowers();
  for (let at = 0; at < out.length; at++) out[at] = 1 / (1 + exponential(-(data[at] ?? 0), powers));
});

/** Tables of powers of two. There are two tables whose values are multiplied, so that they are small. */
export interface Powers {
  /** 2^(k/16) for k from 0 to 63. */
  readonly fine: Float64Array;
  /** 16^k for k from -COARSE_BELOW on. */
  readonly coarse: Float64Array;
}

/**
 * Returns e to the power of a value with a relative error below 1e-10, for results that are rounded
 * to float32. Math.exp, which is accurate to nearly the last bit of a double, takes three times as
 * long. Call `createPowers()` once per batch of values.
 */
export function exponential(value: number, { fine, coarse }: Powers): number {
  // Beyond these limits, a float32 and its reciprocal are 0 or infinite. Does not use branches,
  // which would be slow for mixed values. NaN stays NaN.
  const exponent = Math.min(Math.max(value, MIN_EXPONENT), MAX_EXPONENT);
  const sixteenths = Math.floor(exponent * SIXTEENTHS_PER_ONE + 0.5);
  const power = (sixteenths + COARSE_BELOW * 64) | 0;
  // For such a small exponent, five terms of the series of e^x are enough.
  const rest = exponent - sixteenths * SIXTEENTH;
  const square = rest * rest;
  const series = 1 + rest + square * (1 / 2 + rest * (1 / 6) + square * (1 / 24));
  return (coarse[power >> 6] ?? 0) * (fine[power & 63] ?? 0) * series;
}

export function createPowers(): Powers {
  return { fine: geometric(1, 2 ** (1 / 16), 64), coarse: geometric(16 ** -COARSE_BELOW, 16, 80) };
}

function geometric(first: number, ratio: number, count: number): Float64Array {
  const numbers = new Float64Array(count);
  let number = first;
  for (let index = 0; index < count; index++) {
    numbers[index] = number;
    number *= ratio;
  }
  return numbers;
}

const MIN_EXPONENT = -110;
const MAX_EXPONENT = 110;
const SIXTEENTH = Math.LN2 / 16;
const SIXTEENTHS_PER_ONE = 16 / Math.LN2;
const COARSE_BELOW = 40;

/**
 * Limits elements to `min` and `max`, if set. If `min` is greater than `max`, all elements become
 * `max`. If a limit is NaN, all elements become NaN.
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

/** Raises each element of the base to the exponent. 0.5 is the square root, as in numpy: NaN for -infinity. */
export function power(allocate: Allocate, base: Tensor, exponent: Operand): Tensor {
  if (exponent === 0.5) return squareRoot(allocate, base);
  return combine(allocate, base, exponent, 'pow', exponent === 2 ? squareRow : powerRow);
}

function powerRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    const base = left[leftAt + i * leftStep] ?? 0;
    const exponent = right[rightAt + i * rightStep] ?? 0;
    // C and numpy return 1 here, JavaScript returns NaN.
    const isOne = base === 1 || (base === -1 && Math.abs(exponent) === Infinity);
    out[at + i] = isOne ? 1 : base ** exponent;
  }
}

/** Computes the most common exponent separately, which is ten times as fast. */
function squareRow({ out, at, count, left, leftAt, leftStep }: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    const base = left[leftAt + i * leftStep] ?? 0;
    out[at + i] = base * base;
  }
}
