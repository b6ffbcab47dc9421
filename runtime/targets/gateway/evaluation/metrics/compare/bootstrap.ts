import type { Steps } from '#core/limits/steps.ts';
import { percentile } from './percentile.ts';
import { seededRandom } from './random.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** Share of the resamples inside the interval. Default: 0.95. */
  readonly confidence?: number;
  /** Number of resamples. Default: 1,000. */
  readonly resamples?: number;
  readonly seed?: number;
}

/** A function of a set of rows; `rows` are indexes, some of which repeat and some are missing. */
export type Statistic = (rows: Uint32Array) => number;

/**
 * Percentile interval of a statistic over resamples of its rows, drawn with replacement. All resamples come from one generator.
 * Resamples with a NaN statistic are ignored; there is no interval without rows.
 */
export function* bootstrapInterval(
  rows: number,
  statistic: Statistic,
  { confidence = 0.95, resamples = 1000, seed = 1 }: BootstrapOptions = {},
): Steps<Interval | null> {
  const random = seededRandom(seed);
  const drawn = new Uint32Array(rows);
  const values = new Float64Array(rows === 0 ? 0 : resamples);
  for (const resample of values.keys()) {
    for (let at = 0; at < rows; at++) drawn[at] = random.below(rows);
    values[resample] = statistic(drawn);
    yield;
  }
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return null;
  const outside = (1 - confidence) / 2;
  return { low: percentile(sorted, outside), high: percentile(sorted, 1 - outside) };
}

/** The mean of scores as a statistic. */
export const meanOf =
  (scores: Float64Array): Statistic =>
  (rows) => {
    let sum = 0;
    for (const row of rows) sum += scores[row] ?? 0;
    return sum / rows.length;
  };
