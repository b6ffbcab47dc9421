import { AppError, inputError } from '../../../../../contract/errors.ts';
import { textOfRow } from './text-of-row.ts';
import type { Row } from '../../datasets/dataset.ts';
import type { ChatReply } from '../backends/backend.ts';
import type { AskContext, AskedRows, RowAnswer, RowFailure } from './inference.ts';
import { atOnce } from './at-once.ts';

/** One request for each row, so many at once as a batch has rows. */
export async function askChat(
  rows: readonly Row[],
  context: AskContext,
  columnsOf: (reply: ChatReply) => Row,
): Promise<AskedRows<Row>> {
  const { spec } = context;
  const ask = (row: Row): Promise<RowAnswer<Row> | RowFailure> => askRow(row, context, columnsOf);
  return { answers: await atOnce(rows, spec.batchSize, ask), sharedTokens: 0 };
}

async function askRow(
  row: Row,
  { model, spec, clock, signal }: AskContext,
  columnsOf: (reply: ChatReply) => Row,
): Promise<RowAnswer<Row> | RowFailure> {
  const startedAt = clock.now();
  try {
    if (!model.chat) throw inputError(`${model.name} writes no texts.`);
    const system = spec.systemPrompt === '' ? [] : [{ role: 'system', content: spec.systemPrompt } as const];
    const messages = [...system, { role: 'user', content: textOfRow(row) } as const];
    const reply = await model.chat(messages, spec.generation, signal);
    return { value: columnsOf(reply), tokens: reply, latencyMs: clock.now() - startedAt };
  } catch (error) {
    signal.throwIfAborted();
    return { error: AppError.from(error).message, latencyMs: clock.now() - startedAt };
  }
}
