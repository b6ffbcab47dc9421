import type { Work, WorkBatch } from '../../work/work.ts';
import { batches } from './batches.ts';
import type { WorkerClient } from './client.ts';
import { failedBatches } from './failed-batches.ts';
import type { WorkerBatch, WorkerEnd, WorkerJob } from './protocol.ts';

/** Works on all rows that are left. A batch is written before the next one begins: whoever is killed loses no more than one. */
export async function workThrough(
  work: Work,
  job: WorkerJob,
  client: WorkerClient,
  stop: AbortSignal,
): Promise<WorkerEnd> {
  const { spec, total_rows: total } = job;
  const most = spec.maxErrorRate * total;
  // The errors of rows that are asked about again are of no interest any more.
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
  for await (const { from, next, numbers, rows } of failedBatches(client, job)) {
    const written = await run({ firstRow: from, rows, replaces: true });
    await client.replace({ from, next, numbers, ...written });
    failed += written.failed - rows.length;
    failedAgain += written.failed;
    if (failedAgain > most) return failure(failedAgain);
  }
  if (failed > most) return failure(failed);
  for await (const batch of batches(client, job, spec.batchSize)) {
    const written = await run(batch);
    await client.commit({ first_row: batch.firstRow, ...written });
    failed += written.failed;
    if (failed > most) return failure(failed);
  }
  return { status: 'succeeded', result: work.result() };
}

type WrittenBatch = Omit<WorkerBatch, 'first_row'>;

const tooManyFailed = (failed: number, total: number, rate: number, first: string | null): string =>
  `${failed} of ${total} rows failed, and ${rate === 0 ? 'none' : `no more than ${rate * 100} %`} may. ` +
  `The first error: ${first ?? 'unknown'}`;
