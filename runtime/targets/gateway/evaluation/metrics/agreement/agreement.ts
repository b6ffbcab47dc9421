import type { Steps } from '#core/limits/steps.ts';
import {
  type BootstrapOptions,
  bootstrapInterval,
  type Interval,
  type Statistic,
} from '../compare/bootstrap.ts';
import { krippendorffAlpha } from './alpha.ts';
import { cohenKappa, equalShare, fleissKappa } from './kappa.ts';
import type { RatingLevel, Ratings } from './ratings.ts';

/** A number with its confidence interval; null if the ratings do not define it, because all are equal. */
export interface Estimate {
  readonly value: number | null;
  readonly interval: Interval | null;
}

interface PairAgreement {
  /** Positions of the two raters. */
  readonly raters: readonly [number, number];
  /** Number of rows that both have rated. */
  readonly rows: number;
  /** Share of equal ratings. */
  readonly equal: Estimate;
  /** Cohen's kappa; weighted kappas for ordinal ratings only, none for intervals. */
  readonly kappa: Estimate | null;
  readonly linearKappa: Estimate | null;
  readonly quadraticKappa: Estimate | null;
}

export interface Agreement {
  readonly pairs: readonly PairAgreement[];
  /** Null for two raters and for intervals. */
  readonly fleissKappa: Estimate | null;
  readonly alpha: Estimate;
}

/** Maximum number of rows for intervals. */
const MAX_INTERVAL_ROWS = 5000;

/** Measures how far raters agree, with bootstrap intervals over rows. */
export function* agreementOf(
  ratings: Ratings,
  level: RatingLevel,
  options: BootstrapOptions = {},
): Steps<Agreement> {
  const estimate = estimatorWith(options);
  const pairs: PairAgreement[] = [];
  for (const [at, first] of ratings.of.entries()) {
    for (const [offset, second] of ratings.of.slice(at + 1).entries()) {
      const pair = [first, second] as const;
      const rows = bothRated(pair);
      const isOrdinal = level === 'ordinal';
      pairs.push({
        raters: [at, at + 1 + offset],
        rows: rows.length,
        equal: yield* estimate(equalShare(pair), rows),
        kappa: level === 'interval' ? null : yield* estimate(cohenKappa(pair, 'none'), rows),
        linearKappa: isOrdinal ? yield* estimate(cohenKappa(pair, 'linear'), rows) : null,
        quadraticKappa: isOrdinal ? yield* estimate(cohenKappa(pair, 'quadratic'), rows) : null,
      });
    }
  }
  const all = Uint32Array.from({ length: ratings.rows }, (_, row) => row);
  return {
    pairs,
    fleissKappa:
      ratings.raters < 3 || level === 'interval' ? null : yield* estimate(fleissKappa(ratings), all),
    alpha: yield* estimate(krippendorffAlpha(ratings, level), all),
  };
}

const bothRated = ([first, second]: readonly [Int32Array, Int32Array]): Uint32Array =>
  Uint32Array.from(first.keys().filter((row) => (first[row] ?? -1) >= 0 && (second[row] ?? -1) >= 0));

const estimatorWith = (options: BootstrapOptions) =>
  function* (statistic: Statistic, rows: Uint32Array): Steps<Estimate> {
    const value = statistic(rows);
    yield;
    if (Number.isNaN(value)) return { value: null, interval: null };
    const counted = rows.subarray(0, MAX_INTERVAL_ROWS);
    const drawn = new Uint32Array(counted.length);
    const interval = yield* bootstrapInterval(
      counted.length,
      (positions) => {
        for (const [at, position] of positions.entries()) drawn[at] = counted[position] ?? 0;
        return statistic(drawn);
      },
      options,
    );
    return { value, interval };
  };
