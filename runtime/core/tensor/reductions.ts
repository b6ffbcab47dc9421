import type { LaneReduction } from './lanes.ts';

/** What becomes of a lane. Sums are doubles, rounded once in the end. */
export interface Reduction {
  readonly reduce: LaneReduction<undefined>;
  /** Whether no elements give no answer. */
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

/** NaN for no elements. */
export const MEAN: Reduction = {
  needsElements: false,
  reduce: (out, to, data, at, end, step) => {
    let sum = 0;
    for (let i = at; i < end; i += step) sum += data[i] ?? 0;
    out[to] = sum / ((end - at) / step);
  },
};

/** NaN if there is one. */
export const MAX: Reduction = {
  needsElements: true,
  reduce: (out, to, data, at, end, step) => {
    let max = -Infinity;
    for (let i = at; i < end; i += step) max = Math.max(max, data[i] ?? 0);
    out[to] = max;
  },
};

/** NaN if there is one. */
export const MIN: Reduction = {
  needsElements: true,
  reduce: (out, to, data, at, end, step) => {
    let min = Infinity;
    for (let i = at; i < end; i += step) min = Math.min(min, data[i] ?? 0);
    out[to] = min;
  },
};

/** The index, from 0, of the first greatest element, or of the first NaN. */
export const ARGMAX: Reduction = {
  needsElements: true,
  reduce: (out, to, data, at, end, step) => {
    let best = at;
    let max = data[at] ?? 0;
    for (let i = at + step; i < end && !Number.isNaN(max); i += step) {
      const value = data[i] ?? 0;
      // Turned around, so that NaN passes.
      if (!(value <= max)) {
        max = value;
        best = i;
      }
    }
    out[to] = (best - at) / step;
  },
};
