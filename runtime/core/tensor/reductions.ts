import type { LaneReduction } from './lanes.ts';

/** A reduction of a lane. Sums are computed in double precision and rounded once at the end. */
export interface Reduction {
  readonly reduce: LaneReduction<undefined>;
  /** Whether the reduction of an empty lane is undefined. */
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

/** Index, from 0, of the first maximum or of the first NaN. */
export const ARGMAX: Reduction = {
  needsElements: true,
  reduce: (out, to, data, at, end, step) => {
    let best = at;
    let max = data[at] ?? 0;
    for (let i = at + step; i < end && !Number.isNaN(max); i += step) {
      const value = data[i] ?? 0;
      // The negated comparison lets NaN through.
      if (!(value <= max)) {
        max = value;
        best = i;
      }
    }
    out[to] = (best - at) / step;
  },
};
