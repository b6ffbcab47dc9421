import type { Steps } from '../../steps.ts';
import { percentile } from './percentile.ts';
import { seededRandom } from './random.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** What share of the resamples the interval holds; 0.95 if nothing is said. */
  readonly confidence?: number;
  /** 1,000 if nothing is said. */
  readonly resamples?: number;
  readonly seed?: number;
}

/** A number that rows have together; `rows` are positions, of which some occur more than once and some not at all. */
export type Statistic = (rows: Uint32Array) => number;

/**
 * The percentile interval of a number over resamples of its rows: as many rows as there are, drawn with replacement. Resample after
 * resample is drawn from one generator, row after row. Resamples whose number is NaN do not count; no rows have no interval.
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

/** The mean of scores, as a statistic. */
export const meanOf =
  (scores: Float64Array): Statistic =>
  (rows) => {
    let sum = 0;
    for (const row of rows) sum += scores[row] ?? 0;
    return sum / rows.length;
  };
