import type { Steps } from '#core/limits/steps.ts';
import { type BootstrapOptions, bootstrapInterval, type Interval, meanOf } from './bootstrap.ts';
import { foldedRows } from './folded-rows.ts';

export interface ScoreInterval {
  /** Number of rows with a score. */
  readonly rows: number;
  readonly mean: number | null;
  readonly interval: Interval | null;
}

/** Mean score of a model with its interval; NaN means no score. */
export function* scoreInterval(scores: Float64Array, options: BootstrapOptions = {}): Steps<ScoreInterval> {
  const known = scores.filter((score) => Number.isFinite(score));
  yield;
  const groups = foldedRows(known);
  yield;
  return {
    rows: known.length,
    mean: known.length === 0 ? null : known.reduce((sum, score) => sum + score, 0) / known.length,
    interval: yield* bootstrapInterval(groups.length, meanOf(groups), options),
  };
}
