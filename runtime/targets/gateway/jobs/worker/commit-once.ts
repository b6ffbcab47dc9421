import type { Json } from '../../wires/chat/shape.ts';
import type { Claim, JobQueue } from '../api.ts';
import type { WorkerBatch } from './protocol.ts';

/** Writes a batch, unless that has happened: a worker that heard no answer sends it again. */
export async function commitOnce(
  queue: Pick<JobQueue, 'commit'>,
  claim: Claim,
  batch: WorkerBatch,
): Promise<void> {
  const { first_row: firstRow, rows, failed, checkpoint } = batch;
  // Nobody but the holder of this very lease can have written them.
  if (claim.job.doneRows === firstRow + rows.length) return;
  const usage = { promptTokens: batch.prompt_tokens, completionTokens: batch.completion_tokens };
  const outcome = { rows, failed, usage, firstError: checkpoint.first_error ?? undefined };
  await queue.commit(claim, firstRow, outcome, checkpoint as unknown as Json);
}
