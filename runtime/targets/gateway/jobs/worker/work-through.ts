import type { Work } from '../../work/api.ts';
import { batches } from './batches.ts';
import type { WorkerClient } from './client.ts';
import type { WorkerEnd, WorkerJob } from './protocol.ts';

/** Works on all rows that are left. A batch is written before the next one begins: whoever is killed loses no more than one. */
export async function workThrough(
  work: Work,
  job: WorkerJob,
  client: WorkerClient,
  stop: AbortSignal,
): Promise<WorkerEnd> {
  const { spec, total_rows: total } = job;
  const most = spec.maxErrorRate * total;
  let firstError = job.checkpoint?.first_error ?? null;
  let failed = job.failed_rows;
  for await (const batch of batches(client, job, spec.batchSize)) {
    const outcome = await work.run(batch, stop);
    stop.throwIfAborted();
    failed += outcome.failed;
    firstError ??= outcome.firstError ?? null;
    await client.commit({
      first_row: batch.firstRow,
      rows: outcome.rows,
      failed: outcome.failed,
      prompt_tokens: outcome.usage.promptTokens,
      completion_tokens: outcome.usage.completionTokens,
      checkpoint: { work: work.checkpoint(), first_error: firstError },
    });
    if (failed > most) break;
  }
  return failed > most
    ? { status: 'failed', error: tooManyFailed(failed, total, spec.maxErrorRate, firstError) }
    : { status: 'succeeded', result: work.result() };
}

const tooManyFailed = (failed: number, total: number, rate: number, first: string | null): string =>
  `${failed} of ${total} rows failed, and ${rate === 0 ? 'none' : `no more than ${rate * 100} %`} may. ` +
  `The first error: ${first ?? 'unknown'}`;
