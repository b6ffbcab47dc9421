import { type Kysely, sql } from 'kysely';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { DATABASE_NOW } from '../../../store/database-now.ts';
import { lockRow } from '../../../store/lock-row.ts';
import type { Schema } from '../../../store/schema.ts';
import type { Store } from '../../../store/store.ts';
import type { JobRangeRow, JobRow } from '../../../store/workflow-schema.ts';
import { heldRow, LEASE_MS } from '../lease.ts';
import type { JobQueue, LeasedRange } from '../job.ts';
import { jobOf } from '../job-row.ts';
import { rangeSize } from './range-size.ts';

/**
 * Leases row ranges to workers. A range with an expired lease is leased again before new rows are. When all
 * rows are processed, one worker leases the last range, which has no rows, and ends the job.
 */
export function createRangeLeases({ db, kind }: Pick<Store, 'db' | 'kind'>): Pick<JobQueue, 'lease'> {
  const now = DATABASE_NOW[kind];
  const until = sql<number>`${now} + ${sql.lit(LEASE_MS)}`;

  const take = (trx: Kysely<Schema>, { job_id: id, first_row: firstRow }: RangeKey, worker: string) =>
    trx
      .updateTable('gateway_job_ranges')
      .set((row) => ({ lease_owner: worker, lease_until: until, lease_epoch: row('lease_epoch', '+', 1) }))
      .where('job_id', '=', id)
      .where('first_row', '=', firstRow)
      .returningAll()
      .executeTakeFirstOrThrow();
  /**
   * The first range that no worker holds, or that this worker already holds because it did not receive the
   * response.
   */
  const free = (trx: Kysely<Schema>, id: string, worker: string) =>
    trx
      .selectFrom('gateway_job_ranges')
      .select(['job_id', 'first_row'])
      .where('job_id', '=', id)
      .where('ended', '=', 0)
      .where((row) =>
        row.or([
          row('lease_owner', 'is', null),
          row('lease_owner', '=', worker),
          sql<boolean>`lease_until < ${now}`,
        ]),
      )
      .orderBy('first_row')
      .executeTakeFirst();

  return {
    lease: (claim, worker) =>
      db.transaction().execute(async (trx) => {
        await lockRow(trx, 'gateway_jobs', claim.job.id);
        const job = await heldRow(trx, claim.job.id, claim.epoch);
        const found = (await free(trx, job.id, worker)) ?? (await addRange(trx, job));
        return found && leasedOf(trx, await take(trx, found, worker));
      }),
  };
}

type RangeKey = Pick<JobRangeRow, 'job_id' | 'first_row'>;

/** Adds the next rows as a range, or the last range if all rows are processed. */
async function addRange(trx: Kysely<Schema>, job: JobRow): Promise<RangeKey | undefined> {
  const { id, next_row: firstRow, total_rows: total, workers } = job;
  const { spec } = jobOf(job);
  const rowCount = rangeSize({ spec, rows: total - firstRow, workers });
  if (rowCount === 0) {
    const { held } = await trx
      .selectFrom('gateway_job_ranges')
      .select(sql<number>`count(*)`.as('held'))
      .where('job_id', '=', id)
      .where('ended', '=', 0)
      .executeTakeFirstOrThrow();
    if (held > 0) return undefined;
  }
  const key = { job_id: id, first_row: firstRow };
  await trx
    .insertInto('gateway_job_ranges')
    .values({ ...NEW, ...key, row_count: rowCount, next_row: firstRow })
    .execute();
  await trx
    .updateTable('gateway_jobs')
    .set({ next_row: firstRow + rowCount })
    .where('id', '=', id)
    .execute();
  return key;
}

async function leasedOf(trx: Kysely<Schema>, range: JobRangeRow): Promise<LeasedRange> {
  return {
    worker: range.lease_owner ?? '',
    epoch: range.lease_epoch,
    firstRow: range.first_row,
    rowCount: range.row_count,
    nextRow: range.next_row,
    retryRow: range.retry_row,
    checkpoint: range.checkpoint === null ? null : (parseJsonText(range.checkpoint) as Json),
    checkpoints: range.row_count === 0 ? await checkpointsOf(trx, range.job_id) : null,
  };
}

/** The checkpoints of all ranges, in row order. */
async function checkpointsOf(trx: Kysely<Schema>, id: string): Promise<readonly Json[]> {
  const rows = await trx
    .selectFrom('gateway_job_ranges')
    .select('checkpoint')
    .where('job_id', '=', id)
    .where('checkpoint', 'is not', null)
    .orderBy('first_row')
    .execute();
  return rows.map(({ checkpoint }) => parseJsonText(checkpoint ?? 'null') as Json);
}

const NEW = {
  failed_rows: 0,
  retry_row: null,
  rows_to_retry: 0,
  checkpoint: null,
  ended: 0,
  lease_owner: null,
  lease_until: null,
  lease_epoch: 0,
  failed_workers: 0,
} as const;
