import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { lockRow } from '../../store/lock-row.ts';
import { storableText } from '../../store/storable-text.ts';
import type { JobQueue } from './job.ts';

const MAX_LINE_LENGTH = 10_000;
const MAX_LINES = 10_000;

/** Log lines of jobs in the database. Ids of lines are ascending. */
export function createJobLogs({ db }: Pick<Store, 'db'>, clock: Clock): Pick<JobQueue, 'log' | 'logs'> {
  const process = randomUUID();
  let written = 0;
  /** Ids sort by time, and lines of one process always in the order in which they were written. */
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
