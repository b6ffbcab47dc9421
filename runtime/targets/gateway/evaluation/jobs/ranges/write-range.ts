import { type Kysely, sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { DATABASE_NOW } from '../../../store/database-now.ts';
import { lockRow } from '../../../store/lock-row.ts';
import type { Schema } from '../../../store/schema.ts';
import type { Store } from '../../../store/store.ts';
import type { JobRangeRow, JobRow } from '../../../store/workflow-schema.ts';
import { appendRows } from '../../datasets/append-rows.ts';
import { replaceRows } from '../../datasets/replace-rows.ts';
import type { WorkUsage } from '../../work/work.ts';
import { heldRow, LEASE_MS } from '../lease.ts';
import { heldRange, rangeLost } from './held-range.ts';
import type { Claim, JobQueue, RangeLease } from '../job.ts';

type Writes = Pick<JobQueue, 'renewRange' | 'commit' | 'replace'>;

/** Worker writes. Each write contains its range's lease, and is rejected if the range or the job was taken over. */
export function createRangeWrites({ db, kind }: Pick<Store, 'db' | 'kind'>): Writes {
  const until = sql<number>`${DATABASE_NOW[kind]} + ${sql.lit(LEASE_MS)}`;

  /**
   * Reads the range in a transaction that locks the job, writes the rows, and resolves with the job's number
   * of failed rows.
   */
  const write = (
    claim: Claim,
    lease: RangeLease,
    usage: WorkUsage,
    change: (trx: Kysely<Schema>, job: JobRow, range: JobRangeRow) => Promise<RangeChange | undefined>,
  ): Promise<number> =>
    db.transaction().execute(async (trx) => {
      await lockRow(trx, 'gateway_jobs', claim.job.id);
      const job = await heldRow(trx, claim.job.id, claim.epoch);
      const range = await heldRange(trx, job.id, lease);
      const changed = await change(trx, job, range);
      if (!changed) return countedFailures(trx, job.id);
      const { rows, checkpoint, ...columns } = changed;
      const after = { ...range, ...columns };
      await trx
        .updateTable('gateway_job_ranges')
        .set({
          ...columns,
          checkpoint: JSON.stringify(checkpoint),
          failed_workers: 0,
          lease_until: until,
          ended: isEnded(after) ? 1 : 0,
        })
        .where('job_id', '=', job.id)
        .where('first_row', '=', range.first_row)
        .execute();
      await trx
        .updateTable('gateway_jobs')
        .set({
          status: 'running',
          failed_workers: 0,
          done_rows: job.done_rows + rows,
          failed_rows: job.failed_rows + after.failed_rows - range.failed_rows,
          prompt_tokens: job.prompt_tokens + usage.promptTokens,
          completion_tokens: job.completion_tokens + usage.completionTokens,
        })
        .where('id', '=', job.id)
        .execute();
      return countedFailures(trx, job.id);
    });

  return {
    async renewRange({ job }, lease) {
      const { numUpdatedRows } = await db
        .transaction()
        .execute((trx) =>
          trx
            .updateTable('gateway_job_ranges')
            .set({ lease_until: until })
            .where('job_id', '=', job.id)
            .where('first_row', '=', lease.firstRow)
            .where('lease_owner', '=', lease.worker)
            .where('lease_epoch', '=', lease.epoch)
            .executeTakeFirst(),
        );
      if (numUpdatedRows === 0n) throw rangeLost(job.id, lease);
    },
    commit: (claim, lease, firstRow, { rows, failed, usage }, checkpoint) =>
      write(claim, lease, usage, async (trx, job, range) => {
        const end = firstRow + rows.length;
        // The worker resends a batch if it gets no response. Only the holder of this lease can have written
        // these rows.
        if (range.next_row === end && rows.length > 0) return undefined;
        if (range.next_row !== firstRow || end > range.first_row + range.row_count) {
          throw wrongRow(`Job ${job.id} continues at row ${range.next_row}, not at row ${firstRow}.`);
        }
        if (job.output_id !== null) {
          await appendRows(trx, job.output_id, { firstRow, rows }, range.first_row);
        }
        return {
          next_row: end,
          failed_rows: range.failed_rows + failed,
          rows: rows.length,
          checkpoint,
        };
      }),
    replace: (claim, lease, { from, next, numbers, outcome }, checkpoint) =>
      write(claim, lease, outcome.usage, async (trx, job, range) => {
        const { rows, failed } = outcome;
        if (range.retry_row === next || (range.retry_row ?? from) > from) return undefined;
        if (range.retry_row !== from || job.output_id === null) {
          throw wrongRow(`Job ${job.id} retries from row ${range.retry_row}, not from row ${from}.`);
        }
        await replaceRows(trx, job.output_id, new Map(rows.map((row, at) => [numbers[at] ?? -1, row])));
        // Rows whose annotation had failed had no ground truth. Now all rows have one.
        if (next === null && job.failed_rows - rows.length + failed === 0 && job.type === 'annotate') {
          await trx
            .updateTable('gateway_datasets')
            .set({ ground_truth: 1 })
            .where('id', '=', job.output_id)
            .execute();
        }
        return {
          retry_row: next,
          failed_rows: range.failed_rows - rows.length + failed,
          rows_to_retry: next === null ? 0 : range.rows_to_retry - rows.length,
          rows: 0,
          checkpoint,
        };
      }),
  };
}

interface RangeChange extends Partial<
  Pick<JobRangeRow, 'next_row' | 'failed_rows' | 'retry_row' | 'rows_to_retry'>
> {
  /** Number of new rows. */
  readonly rows: number;
  readonly checkpoint: Json;
}

const isEnded = ({ first_row: first, row_count: count, next_row: next, retry_row: retry }: JobRangeRow) =>
  next === first + count && retry === null;

/** A job's failed rows, excluding those that its retry has not repeated yet. */
async function countedFailures(trx: Kysely<Schema>, id: string): Promise<number> {
  const { failed } = await trx
    .selectFrom('gateway_job_ranges')
    .select(sql<number>`cast(coalesce(sum(failed_rows - rows_to_retry), 0) as bigint)`.as('failed'))
    .where('job_id', '=', id)
    .executeTakeFirstOrThrow();
  return failed;
}

const wrongRow = (message: string): AppError =>
  new AppError('ConflictError', message, { reason: 'wrong_row' });
