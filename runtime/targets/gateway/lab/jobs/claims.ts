import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../../contract/errors.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { appendRows } from '../datasets/append-rows.ts';
import type { Store } from '../../store/store.ts';
import { DATABASE_NOW } from '../../store/database-now.ts';
import { lockRow } from '../../store/lock-row.ts';
import type { Schema } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { JobRow, JobStatus } from '../../store/workflow-schema.ts';
import type { Json } from '../../ask/shapes/chat.ts';
import type { Claim, Job, JobQueue } from './job.ts';
import type { Holder } from './holder.ts';
import { jobOf } from './job-row.ts';

/** Duration of a lease. A job whose lease is not renewed within this time can be claimed by another gateway. */
export const LEASE_MS = 15_000;

export interface ClaimOptions {
  readonly holder: Holder;
  /** Called in the transaction that ends a job. */
  readonly onEnded: (db: Kysely<Schema>, job: Job) => Promise<void>;
}

type Claims = Pick<JobQueue, 'claim' | 'held' | 'renew' | 'commit' | 'end' | 'workerFailed' | 'release'>;

/** Leases of jobs. Every write for a job contains the epoch of its claim and is rejected if there is a newer claim. */
export function createClaims({ db, kind }: Pick<Store, 'db' | 'kind'>, options: ClaimOptions): Claims {
  const { holder, onEnded } = options;
  const now = DATABASE_NOW[kind];
  const held = sql<number>`${now} + ${sql.lit(LEASE_MS)}`;

  /** Jobs that are waiting or whose holder has ended, oldest first. */
  const free = async (
    computes: readonly string[] | undefined,
  ): Promise<readonly Pick<JobRow, 'id' | 'lease_epoch'>[]> => {
    const jobs = db.selectFrom('gateway_jobs');
    const rows = await (computes === undefined ? jobs : jobs.where('compute', 'in', computes))
      .select(['id', 'lease_epoch', 'lease_owner'])
      .select(sql<boolean>`(lease_until is null or lease_until < ${now})`.as('is_free'))
      .where('status', 'in', ['created', 'pending', 'running'])
      .where(sql<boolean>`(resume_at is null or resume_at <= ${now})`)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.filter((row) => row.is_free || (row.lease_owner !== null && holder.isGone(row.lease_owner)));
  };
  /** Claims a job; undefined if another process claimed it first. */
  const take = async (
    trx: Kysely<Schema>,
    { id, lease_epoch: epoch }: Pick<JobRow, 'id' | 'lease_epoch'>,
  ): Promise<JobRow | undefined> =>
    await trx
      .updateTable('gateway_jobs')
      .set({
        lease_owner: holder.name,
        lease_until: held,
        lease_epoch: epoch + 1,
        status: sql<JobStatus>`case status when 'created' then 'pending' else status end`,
      })
      .where('id', '=', id)
      .where('lease_epoch', '=', epoch)
      .where('ended_at', 'is', null)
      .returningAll()
      .executeTakeFirst();

  return {
    async claim(computes) {
      for (const job of await free(computes)) {
        const row = await db.transaction().execute((trx) => take(trx, job));
        if (row) return claimOf(row);
      }
      return undefined;
    },
    held: async (id, epoch) => claimOf(await heldRow(db, id, epoch)),
    async renew({ job, epoch }) {
      const row = await db.transaction().execute((trx) =>
        trx
          .updateTable('gateway_jobs')
          .set({ lease_until: held })
          .where('id', '=', job.id)
          .where('lease_epoch', '=', epoch)
          .where('lease_owner', '=', holder.name)
          .returning([
            'cancelled',
            sql<number>`case when deadline_at <= ${now} then 1 else 0 end`.as('is_late'),
          ])
          .executeTakeFirst(),
      );
      if (!row) return 'lost';
      if (row.cancelled === 1) return 'cancelled';
      return row.is_late === 1 ? 'late' : 'held';
    },
    commit: (claim, firstRow, outcome, checkpoint) =>
      db.transaction().execute(async (trx) => {
        await lockRow(trx, 'gateway_jobs', claim.job.id);
        const row = await heldRow(trx, claim.job.id, claim.epoch);
        const { rows, failed, usage } = outcome;
        if (row.done_rows !== firstRow) {
          const message = `Job ${row.id} continues at row ${row.done_rows}, not at row ${firstRow}.`;
          throw new AppError('ConflictError', message, { reason: 'wrong_row' });
        }
        if (row.output_id !== null) await appendRows(trx, row.output_id, { firstRow, rows });
        await trx
          .updateTable('gateway_jobs')
          .set({
            ...afterBatch(row, usage, checkpoint),
            done_rows: firstRow + rows.length,
            failed_rows: row.failed_rows + failed,
          })
          .where('id', '=', row.id)
          .execute();
      }),
    end: (claim, how) =>
      db.transaction().execute(async (trx) => {
        const { id, workflowId } = claim.job;
        if (workflowId !== null) await lockRow(trx, 'gateway_workflows', workflowId);
        await lockRow(trx, 'gateway_jobs', id);
        await heldRow(trx, id, claim.epoch);
        const row = await trx
          .updateTable('gateway_jobs')
          .set({
            ...NO_LEASE,
            status: how.status,
            result: 'result' in how ? JSON.stringify(how.result) : null,
            error: 'error' in how ? storableText(how.error) : null,
            queued_reason: null,
            ended_at: now,
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await onEnded(trx, jobOf(row));
      }),
    workerFailed: ({ job, epoch }) =>
      db.transaction().execute(async (trx) => {
        const row = await heldRow(trx, job.id, epoch);
        const failed = row.failed_workers + 1;
        await trx
          .updateTable('gateway_jobs')
          .set({ failed_workers: failed })
          .where('id', '=', job.id)
          .execute();
        return failed;
      }),
    async release({ job, epoch }) {
      await db
        .transaction()
        .execute((trx) =>
          trx
            .updateTable('gateway_jobs')
            .set(NO_LEASE)
            .where('id', '=', job.id)
            .where('lease_epoch', '=', epoch)
            .execute(),
        );
    },
  };
}

/** The columns of a job without a lease. */
export const NO_LEASE = { lease_owner: null, lease_until: null } as const;

/** The columns of a job that every batch of rows changes. */
export const afterBatch = (
  row: JobRow,
  usage: { readonly promptTokens: number; readonly completionTokens: number },
  checkpoint: unknown,
) => ({
  status: 'running' as const,
  prompt_tokens: row.prompt_tokens + usage.promptTokens,
  completion_tokens: row.completion_tokens + usage.completionTokens,
  checkpoint: JSON.stringify(checkpoint),
  failed_workers: 0,
});

/** The row of a claimed job. Throws a ConflictError if the lease is lost. */
export async function heldRow(db: Kysely<Schema>, id: string, epoch: number): Promise<JobRow> {
  const row = await db
    .selectFrom('gateway_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('lease_epoch', '=', epoch)
    .where('lease_owner', 'is not', null)
    .executeTakeFirst();
  if (row) return row;
  throw leaseLost(id);
}

export const leaseLost = (id: string): AppError =>
  new AppError('ConflictError', `Job ${id} has ended or was taken over by another worker.`, {
    reason: 'lease_lost',
  });

const claimOf = (row: JobRow): Claim => ({
  job: jobOf(row),
  epoch: row.lease_epoch,
  checkpoint: row.checkpoint === null ? null : (parseJsonText(row.checkpoint) as Json),
  isCancelled: row.cancelled === 1,
});
