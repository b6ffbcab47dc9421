import type { Steps } from '#core/limits/steps.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** Fraction of the resamples within the interval. Default: 0.95. */
  readonly confidence?: number;
  /** Number of resamples. Default: 1,000. */
  readonly resamples?: number;
  readonly seed?: number;
}

/** A function of a multiset of rows; `rows` are indexes, some of which repeat and some of which are missing. */
export type Statistic = (rows: Uint32Array) => number;

/**
 * Percentile interval of a statistic over bootstrap resamples of its rows. All resamples come from one
 * generator. Resamples with a NaN statistic are ignored; without rows, there is no interval.
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

/** The mean score as a statistic. */
export const meanOf =
  (scores: Float64Array): Statistic =>
  (rows) => {
    let sum = 0;
    for (const row of rows) sum += scores[row] ?? 0;
    return sum / rows.length;
  };

/** Percentile with linear interpolation between neighbors (numpy's default). */
export function percentile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(position)] ?? 0, sorted[Math.ceil(position)] ?? 0];
  return below + (above - below) * (position - Math.floor(position));
}

/** A reproducible random number generator, identical on every machine. */
export interface Random {
  /** Returns an integer from 0 to 2^32 - 1. */
  readonly uint32: () => number;
  /** Returns an integer from 0 to `limit` - 1; `limit` is at most 2^21, so that the product below is exact. */
  readonly below: (limit: number) => number;
}

/**
 * The sfc32 generator (three words of state and a counter, https://pracrand.sourceforge.net/RNG_engines.txt), seeded with 32
 * bits in all three words and a counter of 1, with the first fifteen numbers discarded.
 */
export function seededRandom(seed: number): Random {
  let [a, b, c, counter] = [seed | 0, seed | 0, seed | 0, 1];
  const uint32 = (): number => {
    const next = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + next) | 0;
    return next >>> 0;
  };
  for (let round = 0; round < 15; round++) uint32();
  return { uint32, below: (limit) => Math.floor((uint32() * limit) / 2 ** 32) };
}
