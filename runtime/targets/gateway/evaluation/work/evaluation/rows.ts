import type { Cell, Row } from '../../datasets/dataset.ts';
import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { BatchOutcome, EvaluationSpec, WorkUsage } from '../work.ts';
import type { Task } from '../tasks/task.ts';
import { isMissing } from '../tasks/check-ground-truth.ts';
import { isUnanswered, type Sample } from './evaluation.ts';
import { failuresOf } from './failures-of.ts';
import type { RowCounts } from './row-counts.ts';
import type { ScoredRow } from './score-batch.ts';

/** The rows to score: those with a ground truth and, unless failed rows count as wrong, an answer. */
export const samplesOf = (spec: EvaluationSpec, rows: readonly Row[]): Sample[] =>
  rows.filter((row) => isScored(spec, row)).map((row) => sampleOf(spec, row));

const sampleOf = ({ predictionField }: Pick<EvaluationSpec, 'predictionField'>, row: Row): Sample => ({
  row,
  prediction: row[predictionField] ?? null,
  truth: row[GROUND_TRUTH] ?? null,
});

const isScored = (spec: EvaluationSpec, row: Row): boolean =>
  hasTruth(spec, row) && (failuresOf(spec) === 'wrong' || !isUnanswered(sampleOf(spec, row)));

const hasTruth = ({ task }: EvaluationSpec, row: Row): boolean =>
  task.task === 'feature-extraction' || !isMissing(row[GROUND_TRUTH]);

/** Reason why a row is not scored, or counts as wrong. */
function reasonOf(spec: EvaluationSpec, row: Row): string | undefined {
  if (isUnanswered(sampleOf(spec, row))) {
    const { error } = row;
    return typeof error === 'string' && error !== '' ? error : `\`${spec.predictionField}\` is missing.`;
  }
  return hasTruth(spec, row) ? undefined : `\`${GROUND_TRUTH}\` is missing.`;
}

interface Scored {
  readonly spec: EvaluationSpec;
  readonly task: Task;
  readonly rows: readonly Row[];
  readonly samples: readonly Sample[];
  readonly scored: readonly ScoredRow[];
  readonly usage: WorkUsage;
}

export function outcomeOf({ spec, task, rows, samples, scored, usage }: Scored): {
  readonly outcome: BatchOutcome;
  readonly counted: RowCounts;
} {
  const of = new Map(samples.map(({ row }, at) => [row, scored[at]]));
  // All rows get the same columns, because the columns of the first row are those of the table.
  const names = new Set(scored.flatMap(({ scores }) => Object.keys(scores)));
  const without: Row = Object.fromEntries(Array.from(names, (name) => [name, null]));
  const table = rows.map((row): Row => {
    const found = of.get(row);
    const error: Cell = found?.error ?? reasonOf(spec, row) ?? null;
    return { ...answersOf(spec, task, row), ...without, ...found?.scores, error };
  });
  const errors = scored.flatMap(({ error }) => error ?? []);
  const failed = errors.length;
  return {
    outcome: { rows: table, failed, usage, firstError: errors[0] },
    counted: {
      rows: rows.length,
      failed,
      skipped: rows.length - samples.length,
      unanswered: rows.filter((row) => isUnanswered(sampleOf(spec, row))).length,
    },
  };
}

const answersOf = ({ predictionField }: EvaluationSpec, { showsAnswers }: Task, row: Row): Row =>
  showsAnswers
    ? { [predictionField]: row[predictionField] ?? null, [GROUND_TRUTH]: row[GROUND_TRUTH] ?? null }
    : {};
