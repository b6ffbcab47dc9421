import type { Work, WorkBatch } from '../../work/work.ts';
import { batches } from './batches.ts';
import type { WorkerClient } from './client.ts';
import { failedBatches } from './failed-batches.ts';
import type {
  WorkerBatch,
  WorkerEnd,
  WorkerJob,
  WorkerLease,
  WorkerRange,
  WorkerWritten,
} from './protocol.ts';
import { startedAhead } from './started-ahead.ts';

interface RangeParts {
  readonly work: Work;
  readonly job: Pick<WorkerJob, 'spec' | 'total_rows'>;
  readonly range: WorkerRange;
  /** Written with every batch. */
  readonly lease: WorkerLease;
  readonly client: WorkerClient;
  readonly stop: AbortSignal;
}

/**
 * Processes the remaining rows of a range. Each batch is written before the next one starts, so a killed worker loses at most one
 * batch. Resolves with the end of the job if too many of its rows have failed.
 */
export async function processRange({
  work,
  job: { spec, total_rows: total },
  range,
  lease,
  client,
  stop,
}: RangeParts): Promise<WorkerEnd | undefined> {
  const maxFailed = spec.maxErrorRate * total;
  // A retry from the first row processes all failed rows again, so their earlier errors no longer apply.
  let firstError = range.retry_row === range.first_row ? null : (range.checkpoint?.first_error ?? null);
  const run = async (batch: WorkBatch): Promise<WrittenBatch> => {
    const outcome = await work.run(batch, stop);
    stop.throwIfAborted();
    firstError ??= outcome.firstError ?? null;
    return {
      range: lease,
      rows: outcome.rows,
      failed: outcome.failed,
      prompt_tokens: outcome.usage.promptTokens,
      completion_tokens: outcome.usage.completionTokens,
      checkpoint: { work: work.checkpoint(), first_error: firstError },
    };
  };
  const failure = ({ failed_rows: failed }: WorkerWritten): WorkerEnd | undefined =>
    failed <= maxFailed
      ? undefined
      : { status: 'failed', error: tooManyFailed(failed, total, spec.maxErrorRate, firstError) };
  let end: WorkerEnd | undefined;
  for await (const { from, next, numbers, rows } of startedAhead(
    failedBatches(client, range, spec.batchSize),
    work,
    stop,
  )) {
    const written = await run({ firstRow: from, rows, replaces: true });
    end = failure(await client.replace({ from, next, numbers, ...written }));
    if (end) return end;
  }
  for await (const batch of startedAhead(batches(client, range, spec.batchSize), work, stop)) {
    const written = await run(batch);
    end = failure(await client.commit({ first_row: batch.firstRow, ...written }));
    if (end) return end;
  }
  return undefined;
}

type WrittenBatch = Omit<WorkerBatch, 'first_row'>;

const tooManyFailed = (failed: number, total: number, rate: number, first: string | null): string =>
  `${failed} of ${total} rows failed, which is more than max_error_rate ${rate} allows. ` +
  `First error: ${first ?? 'unknown'}`;
