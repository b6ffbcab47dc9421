import type { Work, WorkBatch } from '../../work/work.ts';
import { batches } from './batches.ts';
import type { WorkerClient } from './client.ts';
import { failedBatches } from './failed-batches.ts';
import type { WorkerBatch, WorkerEnd, WorkerJob } from './protocol.ts';
import { startedAhead } from './started-ahead.ts';

/** Processes all remaining rows. Each batch is written before the next one starts, so a killed worker loses at most one batch. */
export async function processRows(
  work: Work,
  job: WorkerJob,
  client: WorkerClient,
  stop: AbortSignal,
): Promise<WorkerEnd> {
  const { spec, total_rows: total } = job;
  const maxFailed = spec.maxErrorRate * total;
  // A retry from the first row processes all failed rows again, so their earlier errors no longer apply.
  let firstError = job.retry_row === 0 ? null : (job.checkpoint?.first_error ?? null);
  let failed = job.failed_rows;
  const run = async (batch: WorkBatch): Promise<WrittenBatch> => {
    const outcome = await work.run(batch, stop);
    stop.throwIfAborted();
    firstError ??= outcome.firstError ?? null;
    return {
      rows: outcome.rows,
      failed: outcome.failed,
      prompt_tokens: outcome.usage.promptTokens,
      completion_tokens: outcome.usage.completionTokens,
      checkpoint: { work: work.checkpoint(), first_error: firstError },
    };
  };
  const failure = (count: number): WorkerEnd => ({
    status: 'failed',
    error: tooManyFailed(count, total, spec.maxErrorRate, firstError),
  });
  let failedAgain = 0;
  for await (const { from, next, numbers, rows } of startedAhead(failedBatches(client, job), work, stop)) {
    const written = await run({ firstRow: from, rows, replaces: true });
    await client.replace({ from, next, numbers, ...written });
    failed += written.failed - rows.length;
    failedAgain += written.failed;
    if (failedAgain > maxFailed) return failure(failedAgain);
  }
  if (failed > maxFailed) return failure(failed);
  for await (const batch of startedAhead(batches(client, job, spec.batchSize), work, stop)) {
    const written = await run(batch);
    await client.commit({ first_row: batch.firstRow, ...written });
    failed += written.failed;
    if (failed > maxFailed) return failure(failed);
  }
  return { status: 'succeeded', result: work.result() };
}

type WrittenBatch = Omit<WorkerBatch, 'first_row'>;

const tooManyFailed = (failed: number, total: number, rate: number, first: string | null): string =>
  `${failed} of ${total} rows failed, which is more than max_error_rate ${rate} allows. ` +
  `First error: ${first ?? 'unknown'}`;
