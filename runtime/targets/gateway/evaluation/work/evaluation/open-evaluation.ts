import type { AnyJson as MetricJson, RowScores } from '../../metrics/metric.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { createCallsAhead } from '../ahead.ts';
import {
  DEFAULT_CONCURRENCY,
  type EvaluationSpec,
  type Work,
  type WorkTools,
  type WorkResult,
  type BatchOutcome,
  type WorkUsage,
} from '../work.ts';
import { openBackend } from '../backends/open-backend.ts';
import { withSharedAnswers } from '../backends/shared-answers.ts';
import type { Pacing } from '../pacing.ts';
import { EVALUATED_TASKS, hasOptionalTruth, returnsVectors } from '../tasks/index.ts';
import {
  type ScorerTools,
  isUnanswered,
  type Sample,
  type BatchContext,
  type CountRow,
  type MetricFamily,
  type Scorer,
} from './evaluation.ts';
import { customFamily } from './custom/custom-family.ts';
import { type ChosenFamily, checkMetrics, familiesOf } from './metrics.ts';
import { all, failuresOf } from './scorer.ts';
import type { DatasetCell, RowCells } from '../../datasets/dataset.ts';
import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import { type EvaluatedTask, isMissing } from '../tasks/task.ts';
import { AppError } from '#contract/errors.ts';

/** The state after a batch. Metric states are keyed by the name of their family. */
interface State {
  readonly counts: RowCounts;
  readonly families: Readonly<Record<string, MetricJson>>;
}

export async function openEvaluation(
  spec: EvaluationSpec,
  tools: WorkTools,
  checkpoint: Json | null,
  pacing: Pacing,
): Promise<Work> {
  const task = EVALUATED_TASKS[spec.task.task];
  checkMetrics(task, spec.metrics, { judge: spec.judge !== null, embedder: spec.embedder !== null });
  const chosen = chosenFamilies(spec);
  const models = await openModels(spec, chosen, tools, pacing);
  const openAt = (from: Json | null): { opened: OpenedFamily[]; counts: RowCounts } => {
    const { counts, families } = (from as unknown as State | null) ?? { counts: NO_ROWS, families: {} };
    const opened = chosen.map(({ family, shows }) => ({
      family,
      shows,
      scorer: family.open({ ...models, pacing }, families[family.name]),
    }));
    return { opened, counts };
  };
  let { opened, counts } = await openOrClose(() => openAt(checkpoint), models);
  const calls = createCallsAhead(concurrencyOf(spec), async (rows, signal) => {
    const samples = samplesOf(spec, rows);
    let [promptTokens, completionTokens, cachedVerdicts] = [0, 0, 0];
    const prepared = await prepareBatch(opened, samples, {
      signal,
      spend(usage) {
        promptTokens += usage.promptTokens;
        completionTokens += usage.completionTokens;
        if (usage.isShared === true) cachedVerdicts += 1;
      },
    });
    return { samples, prepared, usage: { promptTokens, completionTokens }, cachedVerdicts };
  });

  return {
    ahead: models.judge && calls.ahead,
    // Comparing outputs takes no time, and judge verdicts are cached.
    writesGroups: true,
    async run({ rows }, signal) {
      const { samples, prepared, usage, cachedVerdicts } = await calls.take(rows, signal);
      signal.throwIfAborted();
      const scored = countBatch(opened, prepared, samples.length);
      const { outcome, counted } = outcomeOf({ spec, task, rows, samples, scored, usage });
      counts = addRows(counts, { ...counted, cachedVerdicts });
      return outcome;
    },
    checkpoint() {
      const families = opened.map(({ family, scorer }) => [family.name, scorer.save()] as const);
      return { counts: { ...counts }, families: Object.fromEntries(families) };
    },
    resume: (from) => void ({ opened, counts } = openAt(from)),
    result: () => evaluationResult(spec, opened, counts),
    close: () => closeAll(models),
  };
}

const concurrencyOf = ({ judge }: Pick<EvaluationSpec, 'judge'>): number =>
  judge?.maxConcurrency ?? DEFAULT_CONCURRENCY;

/** The families of the requested metrics and of user-defined ones. */
const chosenFamilies = ({ task, metrics, customMetrics = [] }: EvaluationSpec): readonly ChosenFamily[] => [
  ...familiesOf(EVALUATED_TASKS[task.task], metrics),
  ...customMetrics.map((metric) => ({ family: customFamily(metric), shows: all })),
];

type Models = Pick<ScorerTools, 'judge' | 'embedder'>;

async function openModels(
  spec: EvaluationSpec,
  chosen: readonly ChosenFamily[],
  tools: WorkTools,
  pacing: Pacing,
): Promise<Models> {
  const { judge, embedder } = spec;
  const needs = new Set(chosen.flatMap(({ family }) => family.needs));
  const options = { pacing, maxConcurrency: concurrencyOf(spec) };
  const judging =
    judge && needs.has('judge')
      ? withSharedAnswers(await openBackend(judge.backend, tools, options), judge.backend, tools.answers)
      : undefined;
  try {
    const embedding =
      embedder && needs.has('embedder') ? await openBackend(embedder.backend, tools, options) : undefined;
    return {
      judge: judging && { model: judging, generation: judge?.generation ?? {} },
      embedder: embedding,
    };
  } catch (error) {
    await judging?.close();
    throw error;
  }
}

async function openOrClose<Opened>(open: () => Opened, models: Models): Promise<Opened> {
  try {
    return open();
  } catch (error) {
    await closeAll(models);
    throw error;
  }
}

async function closeAll({ judge, embedder }: Models): Promise<void> {
  await Promise.all([judge?.model.close(), embedder?.close()]);
}

/**
 * The result of an evaluation. Values are not rounded; undefined values are omitted, and the details have the
 * reasons.
 */
function evaluationResult(
  spec: EvaluationSpec,
  opened: readonly OpenedFamily[],
  { rows, failed, skipped, unanswered, cachedVerdicts }: RowCounts,
): WorkResult {
  const metrics: Record<string, number> = {};
  const undefinedMetrics: Record<string, string> = {};
  const details: Record<string, MetricJson> = {};
  for (const { family, shows, scorer } of opened) {
    const { values, reasons, detail } = scorer.result();
    for (const [name, value] of Object.entries(values)) {
      if (!shows(name)) continue;
      if (value === null) undefinedMetrics[family.shownAs(name)] = reasons[name] ?? '';
      else metrics[family.shownAs(name)] = value;
    }
    if (detail !== null) details[family.name] = detail;
  }
  const { task, metrics: requested, predictionField, batchSize, judge, embedder } = spec;
  return {
    metrics,
    details: {
      rows,
      failed_rows: failed,
      skipped_rows: skipped,
      unanswered_rows: unanswered ?? 0,
      cached_verdicts: cachedVerdicts ?? 0,
      undefined_metrics: undefinedMetrics,
      ...details,
    },
    parameters: {
      type: spec.type,
      task,
      metrics: requested,
      ...(spec.customMetrics !== undefined && {
        custom_metrics: spec.customMetrics.map((one) => ({ ...one })),
      }),
      prediction_field: predictionField,
      failures: failuresOf(spec),
      batch_size: batchSize,
      judge: judge?.backend ?? null,
      ...(judge?.generation && { judge_generation: judge.generation }),
      ...(judge?.maxConcurrency !== undefined && { judge_max_concurrency: judge.maxConcurrency }),
      embedder: embedder?.backend ?? null,
    },
  };
}

/** The rows to score: those with a ground truth and, unless failed rows count as wrong, a response. */
const samplesOf = (spec: EvaluationSpec, rows: readonly RowCells[]): Sample[] =>
  rows.filter((row) => isScored(spec, row)).map((row) => sampleOf(spec, row));

const sampleOf = ({ predictionField }: Pick<EvaluationSpec, 'predictionField'>, row: RowCells): Sample => ({
  row,
  prediction: row[predictionField] ?? null,
  truth: row[GROUND_TRUTH] ?? null,
});

const isScored = (spec: EvaluationSpec, row: RowCells): boolean =>
  hasTruth(spec, row) && (failuresOf(spec) === 'wrong' || !isUnanswered(sampleOf(spec, row)));

const hasTruth = ({ task }: EvaluationSpec, row: RowCells): boolean =>
  returnsVectors(task) || hasOptionalTruth(task) || !isMissing(row[GROUND_TRUTH]);

/** Why a row is not scored, or counts as wrong. */
function reasonOf(spec: EvaluationSpec, row: RowCells): string | undefined {
  if (isUnanswered(sampleOf(spec, row))) {
    const { error } = row;
    return typeof error === 'string' && error !== '' ? error : `\`${spec.predictionField}\` is missing.`;
  }
  return hasTruth(spec, row) ? undefined : `\`${GROUND_TRUTH}\` is missing.`;
}

interface Scored {
  readonly spec: EvaluationSpec;
  readonly task: EvaluatedTask;
  readonly rows: readonly RowCells[];
  readonly samples: readonly Sample[];
  readonly scored: readonly ScoredRow[];
  readonly usage: WorkUsage;
}

function outcomeOf({ spec, task, rows, samples, scored, usage }: Scored): {
  readonly outcome: BatchOutcome;
  readonly counted: RowCounts;
} {
  const of = new Map(samples.map(({ row }, at) => [row, scored[at]]));
  // All rows get the same columns, because the first row's columns are the table's columns.
  const names = new Set(scored.flatMap(({ scores }) => Object.keys(scores)));
  const without: RowCells = Object.fromEntries(Array.from(names, (name) => [name, null]));
  const table = rows.map((row): RowCells => {
    const found = of.get(row);
    const error: DatasetCell = found?.error ?? reasonOf(spec, row) ?? null;
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

const answersOf = (
  { predictionField }: EvaluationSpec,
  { showsAnswers }: EvaluatedTask,
  row: RowCells,
): RowCells =>
  showsAnswers
    ? { [predictionField]: row[predictionField] ?? null, [GROUND_TRUTH]: row[GROUND_TRUTH] ?? null }
    : {};

interface RowCounts {
  readonly rows: number;
  /** Rows that a metric could not score. */
  readonly failed: number;
  /** Rows that are not scored: without a ground truth, or without a prediction if failures are skipped. */
  readonly skipped: number;
  /** Rows without a prediction because the model failed. Missing from checkpoints of earlier versions. */
  readonly unanswered?: number;
  /** Judge verdicts from the experiment's cache. Missing from checkpoints of earlier versions. */
  readonly cachedVerdicts?: number;
}

const NO_ROWS: RowCounts = { rows: 0, failed: 0, skipped: 0, unanswered: 0, cachedVerdicts: 0 };

const addRows = (one: RowCounts, other: RowCounts): RowCounts => ({
  rows: one.rows + other.rows,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
  unanswered: (one.unanswered ?? 0) + (other.unanswered ?? 0),
  cachedVerdicts: (one.cachedVerdicts ?? 0) + (other.cachedVerdicts ?? 0),
});

interface OpenedFamily {
  readonly family: MetricFamily;
  readonly shows: (value: string) => boolean;
  readonly scorer: Scorer;
}

interface ScoredRow {
  /** Scores keyed by the value that they contribute to, and reasons keyed by that name plus `_reason`. */
  readonly scores: RowCells;
  readonly error: string | undefined;
}

type PreparedBatch = readonly (readonly CountRow[])[];

/** Prepares a batch for all metrics before anything is counted, so that a failure here changes no counts. */
const prepareBatch = (
  opened: readonly OpenedFamily[],
  samples: readonly Sample[],
  context: BatchContext,
): Promise<PreparedBatch> => Promise.all(opened.map(({ scorer }) => scorer.prepare(samples, context)));

/** Counts the rows. A metric that fails for a row skips it; other metrics still count it. */
function countBatch(opened: readonly OpenedFamily[], prepared: PreparedBatch, rows: number): ScoredRow[] {
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
