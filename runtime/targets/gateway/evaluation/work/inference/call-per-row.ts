import { AppError, inputError } from '#contract/errors.ts';
import { messagesFor } from './prompt.ts';
import type { Row } from '../../datasets/dataset.ts';
import type { ChatReply } from '../backends/backend.ts';
import type { CallContext, AnsweredRows, RowAnswer, RowFailure } from './inference.ts';
import { isJobPause } from '../job-pause.ts';

/** Calls a language model once per row. The model limits its concurrent requests. Rejects if the job must pause. */
export async function callPerRow(
  rows: readonly Row[],
  context: CallContext,
  columnsOf: (reply: ChatReply) => Row,
): Promise<AnsweredRows<Row>> {
  const answers = await Promise.all(rows.map((row) => callForRow(row, context, columnsOf)));
  return { answers, sharedTokens: 0 };
}

async function callForRow(
  row: Row,
  { model, spec, clock, signal }: CallContext,
  columnsOf: (reply: ChatReply) => Row,
): Promise<RowAnswer<Row> | RowFailure> {
  const startedAt = clock.now();
  try {
    if (!model.chat) throw inputError(`${model.name} is not a generative model.`);
    const reply = await model.chat(messagesFor(row, spec), spec.generation, signal);
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
