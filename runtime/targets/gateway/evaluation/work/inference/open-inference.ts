import type { RowCells } from '../../datasets/dataset.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { createCallsAhead } from '../ahead.ts';
import {
  type BatchOutcome,
  DEFAULT_CONCURRENCY,
  type InferenceSpec,
  type Work,
  type WorkTools,
} from '../work.ts';
import { openBackend } from '../backends/open-backend.ts';
import { withSharedAnswers } from '../backends/shared-answers.ts';
import type { Pacing } from '../pacing.ts';
import { checkModel, checkOutputField } from '../tasks/task.ts';
import { EVALUATED_TASKS } from '../tasks/index.ts';
import { type AnsweredRows, isFailure, type RowAnswer, type RowFailure } from './inference.ts';
import { withImageNames } from './image-names.ts';
import { addTotals, detailsOf, metricsOf, NO_TOTALS, type Totals } from './totals.ts';
import type { Clock } from '#platform/clock.ts';

export async function openInference(
  spec: InferenceSpec,
  tools: WorkTools,
  checkpoint: Json | null,
  pacing: Pacing,
): Promise<Work> {
  const { clock } = pacing;
  const task = EVALUATED_TASKS[spec.task.task];
  checkOutputField(task, spec);
  const { maxConcurrency = DEFAULT_CONCURRENCY } = spec;
  const opened = await openBackend(spec.backend, tools, { pacing, maxConcurrency });
  const model = withSharedAnswers(opened, spec.backend, tools.answers, spec.repeat);
  try {
    checkModel(task, model);
  } catch (error) {
    await model.close();
    throw error;
  }
  const columns = task.columns(spec);
  const busy = createBusyTime(clock);
  const calls = createCallsAhead(maxConcurrency, (rows, signal) =>
    busy.during(() => task.answer(rows, { model, spec, clock, signal })),
  );
  let totals = totalsIn(checkpoint);
  return {
    ahead: model.chat && calls.ahead,
    // Rows started ahead are lost with a worker anyway, and within an experiment, their responses are cached.
    writesGroups: model.chat !== undefined,
    async run({ rows, replaces = false }, signal) {
      const answered = await calls.take(rows, signal);
      const ofBatch = { ...totalsOf(answered), busyMs: busy.take() };
      totals = addTotals(totals, replaces ? ofRetry(ofBatch) : ofBatch);
      return outcomeOf(keptRows(spec, rows), answered, ofBatch, columns);
    },
    checkpoint: () => ({ ...totals }),
    resume: (from) => void (totals = totalsIn(from)),
    result: () => ({
      metrics: metricsOf(totals),
      details: detailsOf(totals),
      parameters: parametersOf(spec, model.modelType, model.labels),
    }),
    close: model.close,
  };
}

const totalsIn = (checkpoint: Json | null): Totals => (checkpoint as unknown as Totals | null) ?? NO_TOTALS;

/** Totals for a retried batch. Its rows are already counted as failed. */
const ofRetry = (totals: Totals): Totals => ({ ...totals, rows: 0, failed: totals.failed - totals.rows });

function totalsOf({ answers, sharedTokens }: AnsweredRows<RowCells>): Totals {
  const ofRows = answers.map((answer): Totals => {
    if (isFailure(answer)) return { ...NO_TOTALS, rows: 1, failed: 1 };
    const cached = answer.tokens?.isShared === true ? 1 : 0;
    return { ...NO_TOTALS, ...answer.tokens, rows: 1, cached, latencyMs: answer.latencyMs };
  });
  return ofRows.reduce(addTotals, { ...NO_TOTALS, promptTokens: sharedTokens });
}

/** The columns of the dataset in the output. An annotated dataset is used as input again, with its images. */
const keptRows = ({ type }: InferenceSpec, rows: readonly RowCells[]): readonly RowCells[] =>
  type === 'annotate' ? rows : rows.map(withImageNames);

function outcomeOf(
  rows: readonly RowCells[],
  { answers }: AnsweredRows<RowCells>,
  { failed, promptTokens, completionTokens }: Totals,
  columns: readonly string[],
): BatchOutcome {
  const empty: RowCells = Object.fromEntries(columns.map((name) => [name, null]));
  const first = answers.find(isFailure);
  return {
    rows: rows.map((row, at) => ({ ...row, ...empty, ...answerColumns(answers[at]) })),
    failed,
    usage: { promptTokens, completionTokens },
    firstError: first?.error,
  };
}

function answerColumns(answer: RowAnswer<RowCells> | RowFailure | undefined): RowCells {
  if (!answer) return {};
  const latency = { latency_ms: Math.round(answer.latencyMs * 10) / 10 };
  if (isFailure(answer)) return { ...NO_TOKENS, error: answer.error, ...latency };
  const { value, tokens } = answer;
  const counts = tokens
    ? { prompt_tokens: tokens.promptTokens, completion_tokens: tokens.completionTokens }
    : NO_TOKENS;
  return { ...value, ...counts, error: null, ...latency };
}

const NO_TOKENS: RowCells = { prompt_tokens: null, completion_tokens: null };

function parametersOf(
  spec: InferenceSpec,
  modelType: string | undefined,
  labels: readonly string[] | undefined,
): Json {
  const { type, task, backend, batchSize, maxConcurrency, generation, systemPrompt, outputField } = spec;
  return {
    type,
    task,
    backend,
    batch_size: batchSize,
    max_concurrency: maxConcurrency ?? DEFAULT_CONCURRENCY,
    generation,
    system_prompt: systemPrompt,
    ...(spec.repeat === undefined ? {} : { repeat: spec.repeat }),
    ...(spec.prompt === undefined ? {} : { prompt: spec.prompt }),
    ...(spec.fewShot === undefined ? {} : { few_shot: spec.fewShot }),
    output_field: outputField,
    ...(modelType === undefined ? {} : { model_type: modelType }),
    ...(labels === undefined ? {} : { labels }),
  };
}

/** Measures the time during which at least one call is open, so that concurrent calls are not counted twice. */
interface BusyTime {
  during<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Milliseconds since the last call to this function. */
  take(): number;
}

function createBusyTime({ now }: Pick<Clock, 'now'>): BusyTime {
  let open = 0;
  let since = 0;
  let busyMs = 0;
  const count = (change: number): void => {
    const at = now();
    if (open > 0) busyMs += at - since;
    since = at;
    open += change;
  };
  return {
    async during(call) {
      count(1);
      try {
        return await call();
      } finally {
        count(-1);
      }
    },
    take() {
      count(0);
      const taken = busyMs;
      busyMs = 0;
      return taken;
    },
  };
}
