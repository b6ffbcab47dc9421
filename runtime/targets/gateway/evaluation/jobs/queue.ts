import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { lockRow } from '../../store/lock-row.ts';
import { newestFirst } from '../../store/newest-first.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import type { JobQueue, Claim } from './job.ts';
import { type ClaimOptions, createClaims } from './claims.ts';
import { createHolder, type Holder, NO_LEASE, leaseLost } from './lease.ts';
import { isOver, jobOf } from './job-row.ts';
import { createCrewRecords } from './ranges/crew-records.ts';
import { createRangeLeases } from './ranges/lease-range.ts';
import { createRangeWrites } from './ranges/write-range.ts';
import { canSee } from '../../shared/owner.ts';
import { isVisible, ownedColumns } from '../../store/space-columns.ts';
import { deleteRows } from '../datasets/chunks.ts';
import type { Schema } from '../../store/schema.ts';
import { deleteRanges } from './ranges/held-range.ts';
import { DATABASE_NOW } from '../../store/database-now.ts';

export interface QueueOptions extends Pick<ClaimOptions, 'onEnded'> {
  readonly clock: Clock;
}

const POLL_INTERVAL_MS = 50;

export function createJobQueue(
  store: Pick<Store, 'db' | 'kind'>,
  { clock, onEnded }: QueueOptions,
): JobQueue {
  const { db } = store;
  const now = (): number => Math.floor(clock.now());
  const rowOf = async (id: string) =>
    isStorable(id)
      ? await db.selectFrom('gateway_jobs').selectAll().where('id', '=', id).executeTakeFirst()
      : undefined;

  const holder = createHolder();
  return {
    ...createClaims(store, { holder, onEnded }),
    ...createWaits(store, holder),
    ...createRetries(),
    ...createRangeLeases(store),
    ...createRangeWrites(store),
    ...createCrewRecords(store),
    ...createJobLogs(store, clock),
    async create(trx, { spec, workflowId, datasetId, outputId, totalRows, timeoutSec, ...job }) {
      const row = await trx
        .insertInto('gateway_jobs')
        .values({
          ...NEW,
          id: randomUUID(),
          workflow_id: workflowId,
          type: spec.type,
          name: storableText(job.name),
          description: storableText(job.description),
          spec: storableText(JSON.stringify(spec)),
          dataset_id: datasetId,
          output_id: outputId,
          total_rows: totalRows,
          timeout_sec: timeoutSec,
          compute: job.compute,
          ...ownedColumns(job.owner),
          team_id: job.teamId,
          key_id: job.keyId,
          created_at: now(),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return jobOf(row);
    },
    async get(viewer, id) {
      const row = await rowOf(id);
      if (row && canSee(viewer, row.space)) return jobOf(row);
      throw new AppError('NotFoundError', `Job with ID ${id} not found`, { reason: 'job_not_found' });
    },
    async list(viewer, { types, workflowId }, page) {
      const visible = db
        .selectFrom('gateway_jobs')
        .where((row) =>
          row.and([
            isVisible(viewer),
            ...(types === undefined ? [] : [row('type', 'in', types)]),
            ...(workflowId === undefined ? [] : [row('workflow_id', '=', workflowId)]),
          ]),
        );
      const { total, rows } = await newestFirst(visible.selectAll(), page);
      return { total, items: rows.map(jobOf) };
    },
    async cancel(id) {
      const workflowId = (await rowOf(id))?.workflow_id ?? null;
      await db.transaction().execute(async (trx) => {
        if (workflowId !== null) await lockRow(trx, 'gateway_workflows', workflowId);
        await trx
          .updateTable('gateway_jobs')
          .set({ cancelled: 1 })
          .where('id', '=', id)
          .where('ended_at', 'is', null)
          .execute();
        const stopped = await trx
          .updateTable('gateway_jobs')
          .set({
            status: 'stopped',
            error: sql<string>`case done_rows when 0 then 'Cancelled before it started.' else 'Cancelled.' end`,
            queued_reason: null,
            ended_at: now(),
          })
          .where('id', '=', id)
          .where('status', '=', 'created')
          .returningAll()
          .executeTakeFirst();
        if (stopped) await onEnded(trx, jobOf(stopped));
      });
    },
    async stopped(id, withinMs) {
      for (const end = now() + withinMs; ;) {
        const row = await rowOf(id);
        if (!row || isOver(row.status)) return true;
        if (now() >= end) return false;
        await sleep(POLL_INTERVAL_MS);
      }
    },
  };
}

const NEW = {
  status: 'created',
  done_rows: 0,
  failed_rows: 0,
  next_row: 0,
  workers: 0,
  result: null,
  error: null,
  cancelled: 0,
  lease_owner: null,
  lease_until: null,
  lease_epoch: 0,
  deadline_at: null,
  compute_ref: null,
  files: null,
  failed_workers: 0,
  queued_reason: null,
  resume_at: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost_nano: 0n,
  started_at: null,
  ended_at: null,
} as const;

const MAX_LINE_LENGTH = 10_000;
const MAX_LINES = 10_000;

/** Job log lines in the database. Line IDs are ascending. */
function createJobLogs({ db }: Pick<Store, 'db'>, clock: Clock): Pick<JobQueue, 'log' | 'logs'> {
  const process = randomUUID();
  let written = 0;
  /** IDs sort by time; lines from one process are always in the order in which they were written. */
  const nextId = (at: number): string =>
    [String(at).padStart(15, '0'), String((written += 1)).padStart(12, '0'), process].join('-');

  return {
    async log(id, level, text) {
      const line = storableText(text).slice(0, MAX_LINE_LENGTH);
      const at = Math.floor(clock.now());
      await db.transaction().execute(async (trx) => {
        // The lock prevents lines from being added while the job is deleted.
        if (!(await lockRow(trx, 'gateway_jobs', id))) return;
        await trx
          .insertInto('gateway_job_logs')
          .values({ id: nextId(at), job_id: id, at, level, text: line })
          .execute();
      });
    },
    async logs(id, after) {
      const lines = db
        .selectFrom('gateway_job_logs')
        .select(['id', 'at', 'level', 'text'])
        .where('job_id', '=', id);
      const newer = after === undefined ? lines : lines.where('id', '>', after);
      return await newer.orderBy('id').limit(MAX_LINES).execute();
    },
  };
}

/** Retries of ended jobs. Rows with a response keep it. */
function createRetries(): Pick<JobQueue, 'retry'> {
  return {
    async retry(trx, { id, outputId: oldOutput, spec: { type } }, retry) {
      const { spec, timeoutSec, compute, outputId, keyId, resumes } = retry;
      const { numUpdatedRows } = await trx
        .updateTable('gateway_jobs')
        .set({
          ...(resumes ? { files: FILES_WITH_ROWS } : AT_FIRST_ROW),
          ...NO_LEASE,
          status: 'created',
          spec: storableText(JSON.stringify(spec)),
          output_id: outputId,
          key_id: keyId,
          timeout_sec: timeoutSec,
          compute,
          result: null,
          error: null,
          cancelled: 0,
          failed_workers: 0,
          resume_at: null,
          deadline_at: null,
          started_at: null,
          ended_at: null,
        })
        .where('id', '=', id)
        .where('ended_at', 'is not', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new AppError('ConflictError', `Job ${id} is already being retried.`);
      if (resumes) {
        if (type !== 'evaluation') await repeatFailedRows(trx, id);
        return;
      }
      await deleteRanges(trx, [id]);
      if (oldOutput !== null) await deleteRows(trx, oldOutput);
    },
  };
}

/** Opens all ranges that have failed rows. */
async function repeatFailedRows(trx: Kysely<Schema>, id: string): Promise<void> {
  await trx
    .updateTable('gateway_job_ranges')
    .set((range) => ({
      retry_row: range.ref('first_row'),
      rows_to_retry: range.ref('failed_rows'),
      ended: 0,
      failed_workers: 0,
    }))
    .where('job_id', '=', id)
    .where('failed_rows', '>', 0)
    .execute();
}

/** If no rows exist, a retry can use new versions of the files. */
const FILES_WITH_ROWS = sql<string | null>`case done_rows when 0 then null else files end`;

const AT_FIRST_ROW = {
  done_rows: 0,
  failed_rows: 0,
  next_row: 0,
  files: null,
  prompt_tokens: 0,
  completion_tokens: 0,
} as const;

type Waits = Pick<JobQueue, 'begin' | 'progressed' | 'explainWait' | 'postpone' | 'pause'>;

/** Precision of the time of last progress. Writing it for each batch would be expensive. */
const PROGRESS_MS = 1000;

/** What a job is waiting for. Its time limit counts from its last progress. */
function createWaits({ db, kind }: Pick<Store, 'db' | 'kind'>, holder: Holder): Waits {
  const now = DATABASE_NOW[kind];
  const deadline = sql<number>`${now} + 1000 * timeout_sec`;
  const update = (trx: Kysely<Schema>, { job, epoch }: Claim) =>
    trx
      .updateTable('gateway_jobs')
      .where('id', '=', job.id)
      .where('lease_epoch', '=', epoch)
      .where('lease_owner', '=', holder.name)
      .where('ended_at', 'is', null);
  /** Sets the reason for all queued jobs waiting for the same compute. Paused jobs have their own reasons. */
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
            // A job with finished rows keeps its start time, but its time limit restarts.
            started_at: sql<number | null>`case done_rows when 0 then null else started_at end`,
            deadline_at: null,
          })
          .execute();
        await explainToOthers(trx, claim, text).execute();
      }),
  };
}
