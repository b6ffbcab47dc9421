import type { Clock } from '#platform/clock.ts';
import type { BatchOutcome, Work, WorkBatch } from '../../work/work.ts';
import type { JobsClient } from './client.ts';
import type {
  WorkerBatch,
  WorkerEnd,
  WorkerJob,
  WorkerLease,
  WorkerRange,
  WorkerWritten,
  WorkerFailedRows,
} from './protocol.ts';
import { startedAhead } from './started-ahead.ts';
import { createWriteGroups } from './write-groups.ts';
import { type AppError, inputError } from '#contract/errors.ts';
import type { RowCells, RowChunk } from '../../datasets/dataset.ts';
import { pushAll } from '#core/values/push-all.ts';

interface RangeParts {
  readonly work: Work;
  readonly job: Pick<WorkerJob, 'spec' | 'total_rows'>;
  readonly range: WorkerRange;
  /** Written with every batch. */
  readonly lease: WorkerLease;
  readonly client: JobsClient;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/**
 * Processes a range's remaining rows. Each batch is written before the next one starts, so a killed worker
 * loses at most one batch; work that allows it is written in groups of batches. Resolves with the job's end
 * if too many of its rows have failed.
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
  /** Number of the job's failed rows at the last write. */
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
      // Keeps what was finished before a pause or failure.
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
  `${failed} of ${total} rows failed, which exceeds max_error_rate ${rate}. ` +
  `First error: ${first ?? 'unknown'}`;

interface FailedBatch extends WorkerFailedRows {
  readonly from: number;
}

/** A range's failed rows in batches, during a retry. The last batch can be empty; it ends the retry of failed rows. */
async function* failedBatches(
  client: Pick<JobsClient, 'failedRows'>,
  { retry_row: first, next_row: to }: Pick<WorkerRange, 'retry_row' | 'next_row'>,
  batchSize: number,
): AsyncGenerator<FailedBatch, void> {
  for (let from = first; from !== null;) {
    const { numbers, rows, next } = await client.failedRows(from, to);
    for (let at = 0; at === 0 || at < rows.length; at += batchSize) {
      const isLast = at + batchSize >= rows.length;
      const after: number | null = isLast ? next : (numbers[at + batchSize] ?? null);
      const end = at + batchSize;
      yield { from, next: after, numbers: numbers.slice(at, end), rows: rows.slice(at, end) };
      from = after;
      if (from === null) return;
    }
  }
}

type Position = Pick<WorkerRange, 'first_row' | 'row_count' | 'next_row'>;

/** A range's remaining rows in batches. The next rows are fetched while a batch is processed. */
async function* batches(
  client: Pick<JobsClient, 'rows'>,
  position: Position,
  size: number,
): AsyncGenerator<RowChunk, void> {
  let firstRow = position.next_row;
  let waiting: RowCells[] = [];
  for await (const rows of fetched(client, position)) {
    pushAll(waiting, rows);
    let used = 0;
    for (; waiting.length - used >= size; used += size) {
      yield { firstRow, rows: waiting.slice(used, used + size) };
      firstRow += size;
    }
    waiting = waiting.slice(used);
  }
  if (waiting.length > 0) yield { firstRow, rows: waiting };
}

/** The remaining rows in chunks whose size the gateway chooses. */
async function* fetched(
  client: Pick<JobsClient, 'rows'>,
  { first_row: first, row_count: count, next_row: from }: Position,
): AsyncGenerator<readonly RowCells[], void> {
  const end = first + count;
  const fetchAt = async (row: number): Promise<readonly RowCells[]> =>
    row < end ? (await client.rows(row, end)).rows : [];
  let next = fetchAt(from);
  for (let row = from; row < end;) {
    const rows = await next;
    if (rows.length === 0) throw endsEarly(row);
    row += rows.length;
    next = fetchAt(row);
    // A failure is thrown when the rows are awaited, and ignored if the consumer stops before that.
    next.catch(() => undefined);
    yield rows;
  }
}

const endsEarly = (found: number): AppError =>
  inputError(
    `The dataset has only ${found} rows, fewer than the job. It was changed or deleted while the job was running.`,
  );
