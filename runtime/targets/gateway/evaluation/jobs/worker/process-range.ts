import type { Clock } from '#platform/clock.ts';
import type { BatchOutcome, Work, WorkBatch } from '../../work/work.ts';
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
import { createWriteGroups } from './write-groups.ts';

interface RangeParts {
  readonly work: Work;
  readonly job: Pick<WorkerJob, 'spec' | 'total_rows'>;
  readonly range: WorkerRange;
  /** Written with every batch. */
  readonly lease: WorkerLease;
  readonly client: WorkerClient;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/**
 * Processes the remaining rows of a range. Each batch is written before the next one starts, so a killed worker loses at most one
 * batch; work that allows it is written in groups of batches. Resolves with the end of the job if too many of its rows have failed.
 */
export async function processRange({
  work,
  job: { spec, total_rows: total },
  range,
  lease,
  client,
  clock,
  stop,
}: RangeParts): Promise<WorkerEnd | undefined> {
  const maxFailed = spec.maxErrorRate * total;
  // A retry from the first row processes all failed rows again, so their earlier errors no longer apply.
  let firstError = range.retry_row === range.first_row ? null : (range.checkpoint?.first_error ?? null);
  /** Failed rows of the job at the last write. */
  let failed = 0;
  let end: WorkerEnd | undefined;

  const resultOf = (found: readonly BatchOutcome[]): WrittenResult => ({
    range: lease,
    rows: found.flatMap(({ rows }) => rows),
    failed: sum(found, (one) => one.failed),
    prompt_tokens: sum(found, ({ usage }) => usage.promptTokens),
    completion_tokens: sum(found, ({ usage }) => usage.completionTokens),
    checkpoint: { work: work.checkpoint(), first_error: firstError },
  });
  /** Processes batches and writes their results, until all are written or the job must end. */
  const processAll = async <Batch extends Pick<WorkBatch, 'rows'>>(
    all: AsyncGenerator<Batch, void>,
    batchOf: (batch: Batch) => WorkBatch,
    send: (result: WrittenResult, batches: readonly Batch[]) => Promise<WorkerWritten>,
  ): Promise<void> => {
    const groups = createWriteGroups<BatchOutcome & { readonly batch: Batch }>({
      clock,
      isUrgent: (found) => !work.writesGroups || failed + sum(found, (one) => one.failed) > maxFailed,
      async write(found) {
        const written = await send(
          resultOf(found),
          found.map(({ batch }) => batch),
        );
        failed = written.failed_rows;
        if (failed <= maxFailed) return;
        end ??= { status: 'failed', error: tooManyFailed(failed, total, spec.maxErrorRate, firstError) };
      },
    });
    try {
      for await (const batch of startedAhead(all, work, stop)) {
        const outcome = await work.run(batchOf(batch), stop);
        stop.throwIfAborted();
        firstError ??= outcome.firstError ?? null;
        await groups.add({ ...outcome, batch });
        if (end) break;
      }
      await groups.flush();
    } catch (error) {
      // What was finished before a pause or a failure is kept.
      if (!stop.aborted) await groups.flush().catch(() => undefined);
      throw error;
    } finally {
      groups.stop();
    }
  };

  await processAll(
    failedBatches(client, range, spec.batchSize),
    ({ from, rows }) => ({ firstRow: from, rows, replaces: true }),
    (result, found) =>
      client.replace({
        ...result,
        from: found[0]?.from ?? 0,
        next: found.at(-1)?.next ?? null,
        numbers: found.flatMap(({ numbers }) => numbers),
      }),
  );
  if (end) return end;
  await processAll(
    batches(client, range, spec.batchSize),
    (batch) => batch,
    (result, found) => client.commit({ ...result, first_row: found[0]?.firstRow ?? 0 }),
  );
  return end;
}

type WrittenResult = Omit<WorkerBatch, 'first_row'>;

const sum = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((total, item) => total + value(item), 0);

const tooManyFailed = (failed: number, total: number, rate: number, first: string | null): string =>
  `${failed} of ${total} rows failed, which is more than max_error_rate ${rate} allows. ` +
  `First error: ${first ?? 'unknown'}`;
