import { sql } from 'kysely';
import { lockRow } from '../../../store/lock-row.ts';
import type { Store } from '../../../store/store.ts';
import { heldRow } from '../lease.ts';
import type { JobQueue } from '../job.ts';
import { freeRanges } from './held-range.ts';
import { possibleRanges } from './range-size.ts';

/** What a job's supervisor reads and writes about the job's workers. */
export function createCrewRecords({
  db,
}: Pick<Store, 'db'>): Pick<JobQueue, 'divide' | 'possibleWorkers' | 'workerEnded'> {
  return {
    async divide({ job, epoch }, workers) {
      await db
        .transaction()
        .execute((trx) =>
          trx
            .updateTable('gateway_jobs')
            .set({ workers })
            .where('id', '=', job.id)
            .where('lease_epoch', '=', epoch)
            .execute(),
        );
    },
    async possibleWorkers({ job: { id, spec, totalRows } }) {
      const { next, ranges } = await db
        .selectFrom('gateway_jobs as j')
        .select('j.next_row as next')
        .select((row) =>
          row
            .selectFrom('gateway_job_ranges as r')
            .select(sql<number>`count(*)`.as('ranges'))
            .whereRef('r.job_id', '=', 'j.id')
            .where('r.ended', '=', 0)
            .as('ranges'),
        )
        .where('j.id', '=', id)
        .executeTakeFirstOrThrow();
      return (ranges ?? 0) + possibleRanges({ spec, rows: totalRows - next });
    },
    workerEnded: ({ job: { id }, epoch }, worker, hasFailed) =>
      db.transaction().execute(async (trx) => {
        await lockRow(trx, 'gateway_jobs', id);
        const job = await heldRow(trx, id, epoch);
        const held = await freeRanges(trx, id, worker)
          .returning(['first_row', 'next_row', 'failed_workers'])
          .executeTakeFirst();
        if (!hasFailed) return { times: 0, row: null };
        const times = (held ?? job).failed_workers + 1;
        await (held
          ? trx
              .updateTable('gateway_job_ranges')
              .set({ failed_workers: times })
              .where('job_id', '=', id)
              .where('first_row', '=', held.first_row)
              .execute()
          : trx.updateTable('gateway_jobs').set({ failed_workers: times }).where('id', '=', id).execute());
        return { times, row: held?.next_row ?? null };
      }),
  };
}
