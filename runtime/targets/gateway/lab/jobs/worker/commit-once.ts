import type { Claim, JobQueue } from '../job.ts';
import type { WorkerBatch, WorkerReplacement } from './protocol.ts';

/** Writes a batch, unless it was already written: a worker that gets no response sends it again. */
export async function commitOnce(
  queue: Pick<JobQueue, 'commit'>,
  claim: Claim,
  batch: WorkerBatch,
): Promise<void> {
  const { first_row: firstRow, rows, failed, checkpoint } = batch;
  // Only the holder of this lease can have written these rows, so they are the same.
  if (claim.job.doneRows === firstRow + rows.length) return;
  const usage = { promptTokens: batch.prompt_tokens, completionTokens: batch.completion_tokens };
  const outcome = { rows, failed, usage, firstError: checkpoint.first_error ?? undefined };
  await queue.commit(claim, firstRow, outcome, checkpoint);
}

/** Replaces failed rows by new results, unless that was already done. */
export async function replaceOnce(
  queue: Pick<JobQueue, 'replace'>,
  claim: Claim,
  batch: WorkerReplacement,
): Promise<void> {
  const { from, next, numbers, rows, failed, checkpoint } = batch;
  const { retryRow } = claim.job;
  if (retryRow === next || (retryRow !== null && retryRow > from)) return;
  const usage = { promptTokens: batch.prompt_tokens, completionTokens: batch.completion_tokens };
  const outcome = { rows, failed, usage, firstError: checkpoint.first_error ?? undefined };
  await queue.replace(claim, { from, next, numbers, outcome }, checkpoint);
}
