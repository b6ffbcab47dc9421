import { type Kysely, sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { DATABASE_NOW } from '../../store/database-now.ts';
import { lockRow } from '../../store/lock-row.ts';
import type { Schema } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { JobRow, JobStatus } from '../../store/workflow-schema.ts';
import type { Claim, Job, JobQueue } from './job.ts';
import { type Holder, heldRow, LEASE_MS, NO_LEASE } from './lease.ts';
import { jobOf } from './job-row.ts';
import { freeRanges, heldRange } from './ranges/held-range.ts';

export interface ClaimOptions {
  readonly holder: Holder;
  /** Called in the transaction that ends a job. */
  readonly onEnded: (db: Kysely<Schema>, job: Job) => Promise<void>;
}

type Claims = Pick<JobQueue, 'claim' | 'held' | 'renew' | 'end' | 'release'>;

/** Job leases. Every write for a job contains its claim's epoch, and is rejected if there is a newer claim. */
export function createClaims({ db, kind }: Pick<Store, 'db' | 'kind'>, options: ClaimOptions): Claims {
  const { holder, onEnded } = options;
  const now = DATABASE_NOW[kind];
  const held = sql<number>`${now} + ${sql.lit(LEASE_MS)}`;

  /** Jobs that are queued or whose holder has ended, oldest first. */
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
  /** Claims a job; undefined if another process claimed it first. The previous holder's workers lose their ranges. */
  const take = async (
    trx: Kysely<Schema>,
    { id, lease_epoch: epoch }: Pick<JobRow, 'id' | 'lease_epoch'>,
  ): Promise<JobRow | undefined> => {
    const row = await trx
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
    if (row) await freeRanges(trx, id).execute();
    return row;
  };

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
      if (!row) return (await hasEnded(db, job.id)) ? 'ended' : 'lost';
      if (row.cancelled === 1) return 'cancelled';
      return row.is_late === 1 ? 'late' : 'held';
    },
    end: (claim, how, range) =>
      db.transaction().execute(async (trx) => {
        const { id, workflowId } = claim.job;
        if (workflowId !== null) await lockRow(trx, 'gateway_workflows', workflowId);
        await lockRow(trx, 'gateway_jobs', id);
        await heldRow(trx, id, claim.epoch);
        if (range) await heldRange(trx, id, range);
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

async function hasEnded(db: Kysely<Schema>, id: string): Promise<boolean> {
  const jobs = db.selectFrom('gateway_jobs').select('ended_at').where('id', '=', id);
  return (await jobs.where('ended_at', 'is not', null).executeTakeFirst()) !== undefined;
}

const claimOf = (row: JobRow): Claim => ({
  job: jobOf(row),
  epoch: row.lease_epoch,
  isCancelled: row.cancelled === 1,
});
