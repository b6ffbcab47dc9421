import { AppError, inputError } from '../../../../../contract/errors.ts';
import { textOfRow } from './text-of-row.ts';
import type { Row } from '../../datasets/dataset.ts';
import type { ChatReply } from '../backends/backend.ts';
import type { CallContext, AnsweredRows, RowAnswer, RowFailure } from './inference.ts';
import { runConcurrently } from './run-concurrently.ts';

/** Calls a language model once per row, with as many concurrent requests as a batch has rows. */
export async function callPerRow(
  rows: readonly Row[],
  context: CallContext,
  columnsOf: (reply: ChatReply) => Row,
): Promise<AnsweredRows<Row>> {
  const { spec } = context;
  const call = (row: Row): Promise<RowAnswer<Row> | RowFailure> => callForRow(row, context, columnsOf);
  return { answers: await runConcurrently(rows, spec.batchSize, call), sharedTokens: 0 };
}

async function callForRow(
  row: Row,
  { model, spec, clock, signal }: CallContext,
  columnsOf: (reply: ChatReply) => Row,
): Promise<RowAnswer<Row> | RowFailure> {
  const startedAt = clock.now();
  try {
    if (!model.chat) throw inputError(`${model.name} is not a generative model.`);
    const system = spec.systemPrompt === '' ? [] : [{ role: 'system', content: spec.systemPrompt } as const];
    const messages = [...system, { role: 'user', content: textOfRow(row) } as const];
    const reply = await model.chat(messages, spec.generation, signal);
    return { value: columnsOf(reply), tokens: reply, latencyMs: clock.now() - startedAt };
  } catch (error) {
    signal.throwIfAborted();
    return { error: AppError.from(error).message, latencyMs: clock.now() - startedAt };
  }
}
