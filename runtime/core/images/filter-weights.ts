import type { ResampleFilter } from '#contract/image-recipe.ts';
import { lookup } from '#core/values/lookup.ts';

/** A filter that weighs pixels by their distance from the middle of the new pixel. */
interface WeightFunction {
  /** The largest distance of a pixel with a weight, in pixels of the smaller image. */
  readonly support: number;
  readonly weight: (distance: number) => number;
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI));

function bilinear(x: number): number {
  const distance = Math.abs(x);
  return distance < 1 ? 1 - distance : 0;
}

// Pillow's source code has these numbers with 32 bits.
const HAMMING_MEAN = Math.fround(0.54);
const HAMMING_AMPLITUDE = Math.fround(0.46);

function hamming(x: number): number {
  const distance = Math.abs(x);
  if (distance === 0) return 1;
  if (distance >= 1) return 0;
  const angle = distance * Math.PI;
  return (Math.sin(angle) / angle) * (HAMMING_MEAN + HAMMING_AMPLITUDE * Math.cos(angle));
}

const BICUBIC_A = -0.5;

function bicubic(x: number): number {
  const d = Math.abs(x);
  if (d < 1) return ((BICUBIC_A + 2) * d - (BICUBIC_A + 3)) * d * d + 1;
  if (d < 2) return (((d - 5) * d + 8) * d - 4) * BICUBIC_A;
  return 0;
}

const FUNCTIONS: Readonly<Record<string, WeightFunction>> = lookup<WeightFunction>({
  box: { support: 0.5, weight: (x) => (x > -0.5 && x <= 0.5 ? 1 : 0) },
  bilinear: { support: 1, weight: bilinear },
  hamming: { support: 1, weight: hamming },
  bicubic: { support: 2, weight: bicubic },
  lanczos: { support: 3, weight: (x) => (x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0) },
});

/** Number of binary digits after the point in the weights, as in Pillow. */
const WEIGHT_BITS = 22;

/** For each new pixel along one axis: the first old pixel, the number of old pixels, and their weights. */
export interface AxisWeights {
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** The number of weights that are stored for each new pixel. */
  readonly stride: number;
  readonly weights: Int32Array;
}

/** The part of an axis of the old image that becomes the whole axis of the new image. */
export interface AxisRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Computes the weights for the new pixels `start` to `end` of an axis that changes from `oldSize` to
 * `newSize` pixels. Computes in 64 bits and rounds to fixed point exactly as Pillow does.
 */
export function axisWeights(
  filter: Exclude<ResampleFilter, 'nearest'>,
  oldSize: number,
  newSize: number,
  range: AxisRange,
  start: number,
  end: number,
): AxisWeights {
  const { support: filterSupport, weight } = functionOf(filter);
  const scale = Math.fround(range.to - range.from) / newSize;
  const filterScale = Math.max(scale, 1);
  const support = filterSupport * filterScale;
  const inverse = 1 / filterScale;
  const stride = Math.min(Math.ceil(support) * 2 + 1, oldSize);
  const first = new Int32Array(end - start);
  const count = new Int32Array(end - start);
  const weights = new Int32Array((end - start) * stride);
  const exact = new Float64Array(stride);
  for (let index = start; index < end; index += 1) {
    const center = range.from + (index + 0.5) * scale;
    const from = Math.max(Math.trunc(center - support + 0.5), 0);
    const pixels = Math.min(Math.trunc(center + support + 0.5), oldSize) - from;
    let sum = 0;
    for (let at = 0; at < pixels; at += 1) {
      const value = weight((at + from - center + 0.5) * inverse);
      exact[at] = value;
      sum += value;
    }
    const offset = (index - start) * stride;
    for (let at = 0; at < pixels; at += 1) {
      const value = (sum === 0 ? (exact[at] ?? 0) : (exact[at] ?? 0) / sum) * (1 << WEIGHT_BITS);
      weights[offset + at] = Math.trunc(value < 0 ? value - 0.5 : value + 0.5);
    }
    first[index - start] = from;
    count[index - start] = pixels;
  }
  return { first, count, stride, weights };
}

function functionOf(filter: string): WeightFunction {
  const found = FUNCTIONS[filter];
  if (found === undefined) throw new Error(`no weights for the filter ${filter}`);
  return found;
}
