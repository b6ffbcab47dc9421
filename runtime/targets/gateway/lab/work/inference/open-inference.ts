import type { Row } from '../../datasets/dataset.ts';
import type { Json } from '../../../ask/shapes/chat.ts';
import type { BatchOutcome, InferenceSpec, Work, WorkTools } from '../work.ts';
import { openBackend } from '../backends/open-backend.ts';
import type { Pacing } from '../pacing.ts';
import { checkModel } from '../tasks/check-model.ts';
import { checkOutputField } from '../tasks/check-output-field.ts';
import { TASKS } from '../tasks/index.ts';
import { type AnsweredRows, isFailure, type RowAnswer, type RowFailure } from './inference.ts';
import { addTotals, detailsOf, metricsOf, NO_TOTALS, type Totals } from './totals.ts';

export async function openInference(
  spec: InferenceSpec,
  tools: WorkTools,
  checkpoint: Json | null,
  pacing: Pacing,
): Promise<Work> {
  const { clock } = pacing;
  const task = TASKS[spec.task.task];
  checkOutputField(task, spec);
  const model = await openBackend(spec.backend, tools, { pacing, connections: spec.batchSize });
  try {
    checkModel(task, model);
  } catch (error) {
    await model.close();
    throw error;
  }
  const columns = task.columns(spec);
  let totals = totalsIn(checkpoint);
  return {
    async run({ rows, replaces = false }, signal) {
      const answered = await task.answer(rows, { model, spec, clock, signal });
      const ofBatch = totalsOf(answered);
      totals = addTotals(totals, replaces ? ofRetry(ofBatch) : ofBatch);
      return outcomeOf(rows, answered, ofBatch, columns);
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

/** The totals of a retried batch. Its rows are already counted as failed. */
const ofRetry = (totals: Totals): Totals => ({ ...totals, rows: 0, failed: totals.failed - totals.rows });

function totalsOf({ answers, sharedTokens }: AnsweredRows<Row>): Totals {
  const ofRows = answers.map((answer): Totals => {
    if (isFailure(answer)) return { ...NO_TOTALS, rows: 1, failed: 1 };
    return { ...NO_TOTALS, ...answer.tokens, rows: 1, latencyMs: answer.latencyMs };
  });
  return ofRows.reduce(addTotals, { ...NO_TOTALS, promptTokens: sharedTokens });
}

function outcomeOf(
  rows: readonly Row[],
  { answers }: AnsweredRows<Row>,
  { failed, promptTokens, completionTokens }: Totals,
  columns: readonly string[],
): BatchOutcome {
  const empty: Row = Object.fromEntries(columns.map((name) => [name, null]));
  const first = answers.find(isFailure);
  return {
    rows: rows.map((row, at) => ({ ...row, ...empty, ...answerColumns(answers[at]) })),
    failed,
    usage: { promptTokens, completionTokens },
    firstError: first?.error,
  };
}

function answerColumns(answer: RowAnswer<Row> | RowFailure | undefined): Row {
  if (!answer) return {};
  const latency = { latency_ms: Math.round(answer.latencyMs * 10) / 10 };
  if (isFailure(answer)) return { ...NO_TOKENS, error: answer.error, ...latency };
  const { value, tokens } = answer;
  const counts = tokens
    ? { prompt_tokens: tokens.promptTokens, completion_tokens: tokens.completionTokens }
    : NO_TOKENS;
  return { ...value, ...counts, error: null, ...latency };
}

const NO_TOKENS: Row = { prompt_tokens: null, completion_tokens: null };

function parametersOf(
  { type, task, backend, batchSize, generation, systemPrompt, outputField }: InferenceSpec,
  modelType: string | undefined,
  labels: readonly string[] | undefined,
): Json {
  return {
    type,
    task,
    backend,
    batch_size: batchSize,
    generation,
    system_prompt: systemPrompt,
    output_field: outputField,
    ...(modelType === undefined ? {} : { model_type: modelType }),
    ...(labels === undefined ? {} : { labels }),
  };
}
