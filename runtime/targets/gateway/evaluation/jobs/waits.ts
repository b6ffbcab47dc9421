import { type Kysely, sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { DATABASE_NOW } from '../../store/database-now.ts';
import type { Schema } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { Claim, JobQueue } from './job.ts';
import { leaseLost, NO_LEASE } from './lease.ts';
import type { Holder } from './holder.ts';

type Waits = Pick<JobQueue, 'begin' | 'progressed' | 'explainWait' | 'postpone' | 'pause'>;

/** How precise the time of the last progress is. Writing it for each batch would cost more. */
const PROGRESS_MS = 1000;

/** What a job waits for. Its time limit counts from its last progress. */
export function createWaits({ db, kind }: Pick<Store, 'db' | 'kind'>, holder: Holder): Waits {
  const now = DATABASE_NOW[kind];
  const deadline = sql<number>`${now} + 1000 * timeout_sec`;
  const update = (trx: Kysely<Schema>, { job, epoch }: Claim) =>
    trx
      .updateTable('gateway_jobs')
      .where('id', '=', job.id)
      .where('lease_epoch', '=', epoch)
      .where('lease_owner', '=', holder.name)
      .where('ended_at', 'is', null);
  /** Sets the reason for all queued jobs that wait for the same compute. Paused jobs have reasons of their own. */
  const explainToOthers = (trx: Kysely<Schema>, { job }: Claim, reason: string | null) =>
    trx
      .updateTable('gateway_jobs')
      .set({ queued_reason: reason })
      .where('status', '=', 'created')
      .where('resume_at', 'is', null)
      .where('compute', '=', job.compute)
      .where(sql<string>`coalesce(queued_reason, '')`, '<>', reason ?? '');

  return {
    begin: (claim) =>
      db.transaction().execute(async (trx) => {
        const row = await update(trx, claim)
          .set((job) => ({
            queued_reason: null,
            started_at: job.fn.coalesce('started_at', now),
            deadline_at: job.fn.coalesce('deadline_at', deadline),
            resume_at: null,
          }))
          .returning('id')
          .executeTakeFirst();
        if (!row) throw leaseLost(claim.job.id);
        await explainToOthers(trx, claim, null).execute();
      }),
    async progressed({ job, epoch }) {
      await db.transaction().execute((trx) =>
        trx
          .updateTable('gateway_jobs')
          .set({ deadline_at: deadline })
          .where('id', '=', job.id)
          .where('lease_epoch', '=', epoch)
          .where(sql<boolean>`deadline_at < ${deadline} - ${sql.lit(PROGRESS_MS)}`)
          .execute(),
      );
    },
    async explainWait(claim, reason) {
      await db.transaction().execute((trx) =>
        update(trx, claim)
          .set({ queued_reason: reason === null ? null : storableText(reason) })
          .execute(),
      );
    },
    pause: ({ job, epoch }, reason, seconds) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .updateTable('gateway_jobs')
          .set({
            ...NO_LEASE,
            status: 'created',
            queued_reason: storableText(reason),
            resume_at: sql<number>`${now} + ${sql.lit(Math.ceil(seconds * 1000))}`,
            deadline_at: null,
          })
          .where('id', '=', job.id)
          .where('lease_epoch', '=', epoch)
          .where('lease_owner', 'is not', null)
          .returning('id')
          .executeTakeFirst();
        if (!row) throw leaseLost(job.id);
      }),
    postpone: (claim, reason) =>
      db.transaction().execute(async (trx) => {
        const text = storableText(reason);
        await update(trx, claim)
          .set({
            ...NO_LEASE,
            status: 'created',
            queued_reason: text,
            // A job with finished rows keeps its start time; its time limit starts again.
            started_at: sql<number | null>`case done_rows when 0 then null else started_at end`,
            deadline_at: null,
          })
          .execute();
        await explainToOthers(trx, claim, text).execute();
      }),
  };
}
