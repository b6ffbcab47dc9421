import { AppError } from '#contract/errors.ts';
import type { RowScores } from '../../metrics/metric.ts';
import type { Row } from '../../datasets/dataset.ts';
import type { BatchContext, CountRow, MetricFamily, Sample, Scorer } from './evaluation.ts';

export interface OpenedFamily {
  readonly family: MetricFamily;
  readonly shows: (value: string) => boolean;
  readonly scorer: Scorer;
}

export interface ScoredRow {
  /** Scores by the name of the value that they contribute to, and reasons by that name with `_reason`. */
  readonly scores: Row;
  readonly error: string | undefined;
}

type PreparedBatch = readonly (readonly CountRow[])[];

/** Prepares a batch for all metrics before anything is counted, so that a failure here does not change any count. */
export const prepareBatch = (
  opened: readonly OpenedFamily[],
  samples: readonly Sample[],
  context: BatchContext,
): Promise<PreparedBatch> => Promise.all(opened.map(({ scorer }) => scorer.prepare(samples, context)));

/** Counts the rows. A metric that fails for a row skips it; other metrics still count it. */
export function countBatch(
  opened: readonly OpenedFamily[],
  prepared: PreparedBatch,
  rows: number,
): ScoredRow[] {
  return Array.from({ length: rows }, (_, at) => {
    const scores: Record<string, number | string> = {};
    const errors: string[] = [];
    opened.forEach(({ family, shows }, of) => {
      try {
        const count = prepared[of]?.[at];
        Object.assign(scores, shown(count?.() ?? {}, family, shows));
        for (const [name, reason] of Object.entries(count?.reasons ?? {})) {
          if (reason !== '') scores[`${family.shownAs(name)}_reason`] = reason;
        }
      } catch (error) {
        errors.push(`${family.name}: ${AppError.from(error).message}`);
      }
    });
    return { scores, error: errors.length === 0 ? undefined : [...new Set(errors)].join(' ') };
  });
}

const shown = (scores: RowScores, { shownAs }: MetricFamily, shows: (value: string) => boolean): RowScores =>
  Object.fromEntries(
    Object.entries(scores).flatMap(([name, value]) => (shows(name) ? [[shownAs(name), value]] : [])),
  );
