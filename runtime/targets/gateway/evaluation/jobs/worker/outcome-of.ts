import type { BatchOutcome } from '../../work/work.ts';
import type { WorkerBatch } from './protocol.ts';

/** The outcome of a batch, as sent by a worker. */
export const outcomeOf = ({
  rows,
  failed,
  checkpoint,
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
}: Omit<WorkerBatch, 'first_row'>): BatchOutcome => ({
  rows,
  failed,
  usage: { promptTokens, completionTokens },
  firstError: checkpoint.first_error ?? undefined,
});
