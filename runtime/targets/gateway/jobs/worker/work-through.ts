import type { Json } from '../../wires/chat/shape.ts';
import type { BatchOutcome, Work } from '../../work/api.ts';
import { batches } from './batches.ts';
import type { WorkerClient } from './client.ts';
import type { WorkerEnd, WorkerJob } from './protocol.ts';

/** Works on all rows that are left: one batch computes while the one before is being written, never more. */
export async function workThrough(
  work: Work,
  job: WorkerJob,
  client: WorkerClient,
  stop: AbortSignal,
): Promise<WorkerEnd> {
  const { spec, total_rows: total } = job;
  let firstError = job.checkpoint?.first_error ?? null;
  let failed = job.failed_rows;
  let written: Promise<void> = Promise.resolve();
  const unwritten = new AbortController();
  const signal = AbortSignal.any([stop, unwritten.signal]);

  const write = async (firstRow: number, { rows, failed, usage }: BatchOutcome, learned: Json) => {
    await client.commit({
      first_row: firstRow,
      rows,
      failed,
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      checkpoint: { work: learned, first_error: firstError },
    });
  };
  try {
    for await (const batch of batches(client, job, spec.batchSize)) {
      const outcome = await work.run(batch, signal);
      signal.throwIfAborted();
      await written;
      work.accept(outcome);
      failed += outcome.failed;
      firstError ??= outcome.firstError ?? null;
      written = write(batch.firstRow, outcome, work.checkpoint());
      written.catch((error: unknown) => unwritten.abort(error));
      if (failed > spec.maxErrorRate * total) break;
    }
  } catch (error) {
    // What the batch says that was given up is less than why it was.
    if (unwritten.signal.aborted) throw unwritten.signal.reason;
    // What is being written is well, and need not be done again.
    await written;
    throw error;
  }
  await written;
  return failed > spec.maxErrorRate * total
    ? { status: 'failed', error: tooManyFailed(failed, total, spec.maxErrorRate, firstError) }
    : { status: 'succeeded', result: work.result() };
}

const tooManyFailed = (failed: number, total: number, rate: number, first: string | null): string =>
  `${failed} of ${total} rows failed, and ${rate === 0 ? 'none' : `no more than ${rate * 100} %`} may. ` +
  `The first error: ${first ?? 'unknown'}`;
