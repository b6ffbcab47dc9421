import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { lockRow } from '../../store/lock-row.ts';
import { newestFirst } from '../../store/newest-first.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import type { JobQueue } from './job.ts';
import { type ClaimOptions, createClaims } from './claims.ts';
import { createHolder } from './holder.ts';
import { createJobLogs } from './job-logs.ts';
import { isOver, jobOf } from './job-row.ts';
import { createCrewRecords } from './ranges/crew-records.ts';
import { createRangeLeases } from './ranges/lease-range.ts';
import { createRangeWrites } from './ranges/write-range.ts';
import { createRetries } from './retries.ts';
import { createWaits } from './waits.ts';
import { canSee } from '../../shared/owner.ts';
import { isVisible, ownedColumns } from '../../store/space-columns.ts';

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
