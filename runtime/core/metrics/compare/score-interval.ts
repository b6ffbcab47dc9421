import { type BootstrapOptions, bootstrapInterval, type Interval, meanOf } from './bootstrap.ts';
import { foldedRows } from './folded-rows.ts';

export interface ScoreInterval {
  /** That have a score. */
  readonly rows: number;
  readonly mean: number | null;
  readonly interval: Interval | null;
}

/** The mean of one model's scores and how far it may be off; NaN is a row without a score. */
export function scoreInterval(scores: Float64Array, options: BootstrapOptions = {}): ScoreInterval {
  const known = scores.filter((score) => Number.isFinite(score));
  const groups = foldedRows(known);
  return {
    rows: known.length,
    mean: known.length === 0 ? null : known.reduce((sum, score) => sum + score, 0) / known.length,
    interval: bootstrapInterval(groups.length, meanOf(groups), options),
  };
}
