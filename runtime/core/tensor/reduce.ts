import {
  resolveAxis,
  describeShape,
  type Allocate,
  type Tensor,
  splitAt,
  createTensor,
  type Operand,
} from './tensor.ts';
import { type LaneReduction, reduceLanes } from './lanes.ts';

/** Reduces one axis and removes it. `what` is the operation, for messages. */
export function reduceAxis(
  allocate: Allocate,
  tensor: Tensor,
  axis: number,
  what: string,
  reduction: Reduction,
): Tensor {
  const index = resolveAxis(axis, tensor.shape, what);
  if (tensor.shape[index] === 0) checkEmpty(tensor, what, reduction);
  return reduceLanes(allocate, tensor, index, reduction.reduce, undefined);
}

/** Reduces all elements to one number, rounded to float32 like an element of a tensor. */
export function reduceAll(tensor: Tensor, what: string, reduction: Reduction): number {
  if (tensor.data.length === 0) checkEmpty(tensor, what, reduction);
  return reduceWhole(tensor, reduction.reduce, undefined);
}

function reduceWhole<Extra>({ data }: Tensor, reduce: LaneReduction<Extra>, extra: Extra): number {
  const out = new Float32Array(1);
  reduce(out, 0, data, 0, data.length, 1, extra);
  return out[0] ?? 0;
}

function checkEmpty({ shape }: Tensor, what: string, { needsElements }: Reduction): void {
  if (needsElements) {
    throw new Error(`${what}: a tensor of shape ${describeShape(shape)} has no elements to choose from.`);
  }
}

/** A reduction of a lane. Sums are computed in double precision and rounded once at the end. */
export interface Reduction {
  readonly reduce: LaneReduction<undefined>;
  /** Whether the result for an empty lane is undefined. */
  readonly needsElements: boolean;
}

export const SUM: Reduction = {
  needsElements: false,
  reduce: (out, to, data, at, end, step) => {
    let sum = 0;
    for (let i = at; i < end; i += step) sum += data[i] ?? 0;
    out[to] = sum;
  },
};

/** Mean; NaN for an empty lane. */
export const MEAN: Reduction = {
  needsElements: false,
  reduce: (out, to, data, at, end, step) => {
    let sum = 0;
    for (let i = at; i < end; i += step) sum += data[i] ?? 0;
    out[to] = sum / ((end - at) / step);
  },
};

/** Maximum; NaN if an element is NaN. */
export const MAX: Reduction = {
  needsElements: true,
  reduce: (out, to, data, at, end, step) => {
    let max = -Infinity;
    for (let i = at; i < end; i += step) max = Math.max(max, data[i] ?? 0);
    out[to] = max;
  },
};

/** Minimum; NaN if an element is NaN. */
export const MIN: Reduction = {
  needsElements: true,
  reduce: (out, to, data, at, end, step) => {
    let min = Infinity;
    for (let i = at; i < end; i += step) min = Math.min(min, data[i] ?? 0);
    out[to] = min;
  },
};

/** Index, from 0, of the first NaN, otherwise of the first maximum. */
export const ARGMAX: Reduction = {
  needsElements: true,
  reduce: (out, to, data, at, end, step) => {
    let best = at;
    let max = data[at] ?? 0;
    for (let i = at + step; i < end && !Number.isNaN(max); i += step) {
      const value = data[i] ?? 0;
      // The negated comparison is also true for NaN.
      if (!(value <= max)) {
        max = value;
        best = i;
      }
    }
    out[to] = (best - at) / step;
  },
};

/**
 * Standard deviation of all elements. The divisor is the number of elements minus `ddof`, which is
 * 1 for a sample.
 */
export function standardDeviation(tensor: Tensor, ddof: number): number {
  return reduceWhole(tensor, writeDeviation, ddof);
}

function writeDeviation(
  out: Float32Array,
  to: number,
  data: Float32Array,
  at: number,
  end: number,
  step: number,
  ddof: number,
): void {
  const { squares } = deviations(data, at, end, step);
  out[to] = Math.sqrt(squares / Math.max((end - at) / step - ddof, 0));
}

/** The mean of a lane, and the sum of squared deviations from it. */
export function deviations(
  data: Float32Array,
  at: number,
  end: number,
  step: number,
): { mean: number; squares: number } {
  let sum = 0;
  for (let i = at; i < end; i += step) sum += data[i] ?? 0;
  const mean = sum / ((end - at) / step);
  let squares = 0;
  for (let i = at; i < end; i += step) {
    const distance = (data[i] ?? 0) - mean;
    squares += distance * distance;
  }
  return { mean, squares };
}

/**
 * Folds each slice along an axis to one number. Starting with `start`, the function combines the
 * accumulated number with the next element.
 */
export function foldAxis(
  allocate: Allocate,
  { data, shape }: Tensor,
  axis: number,
  start: number,
  fold: (soFar: number, element: number) => Operand,
): Tensor {
  const { outer, size, inner } = splitAt(shape, resolveAxis(axis, shape, 'fold_axis'));
  const out = createTensor(allocate, [size]);
  for (let place = 0; place < size; place++) {
    let soFar = start;
    for (let o = 0; o < outer; o++) {
      const from = (o * size + place) * inner;
      for (let at = from; at < from + inner; at++) soFar = toNumber(fold(soFar, data[at] ?? 0));
    }
    out.data[place] = soFar;
  }
  return out;
}

function toNumber(result: Operand): number {
  if (typeof result === 'number') return result;
  throw new Error('fold_axis: the function returned a tensor; it must return a number.');
}
