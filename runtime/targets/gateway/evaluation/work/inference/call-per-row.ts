import { AppError, inputError } from '#contract/errors.ts';
import { generationFor, messagesFor } from './prompt.ts';
import type { RowCells } from '../../datasets/dataset.ts';
import type { ChatReply } from '../backends/backend.ts';
import type { ModelCallContext, AnsweredRows, RowAnswer, RowFailure } from './inference.ts';
import { isJobPause } from '../job-pause.ts';

/** Calls a language model once per row. The model itself limits concurrent requests. Rejects if the job must pause. */
export async function callPerRow(
  rows: readonly RowCells[],
  context: ModelCallContext,
  columnsOf: (reply: ChatReply) => RowCells,
): Promise<AnsweredRows<RowCells>> {
  const answers = await Promise.all(rows.map((row) => callForRow(row, context, columnsOf)));
  return { answers, sharedTokens: 0 };
}

async function callForRow(
  row: RowCells,
  { model, spec, clock, signal }: ModelCallContext,
  columnsOf: (reply: ChatReply) => RowCells,
): Promise<RowAnswer<RowCells> | RowFailure> {
  const startedAt = clock.now();
  try {
    if (!model.chat) throw inputError(`${model.name} is not a generative model.`);
    const reply = await model.chat(messagesFor(row, spec), generationFor(row, spec), signal);
    return {
      value: { ...columnsOf(reply), cached: reply.isShared },
      tokens: reply,
      latencyMs: reply.latencyMs,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (isJobPause(error)) throw error;
    return { error: AppError.from(error).message, latencyMs: clock.now() - startedAt };
  }
}
