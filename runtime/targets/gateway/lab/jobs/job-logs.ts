import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { lockRow } from '../../store/lock-row.ts';
import { storableText } from '../../store/storable-text.ts';
import type { JobQueue } from './job.ts';

const MOST_CHARACTERS = 10_000;
const MOST_LINES = 10_000;

/** What jobs say while they run, line by line; the ids of lines grow. */
export function createJobLogs({ db }: Pick<Store, 'db'>, clock: Clock): Pick<JobQueue, 'log' | 'logs'> {
  const process = randomUUID();
  let written = 0;
  /** Sorts as what was said was said, in one process to the line. */
  const nextId = (at: number): string =>
    [String(at).padStart(15, '0'), String((written += 1)).padStart(12, '0'), process].join('-');

  return {
    async log(id, level, text) {
      const line = storableText(text).slice(0, MOST_CHARACTERS);
      const at = Math.floor(clock.now());
      await db.transaction().execute(async (trx) => {
        // Of a job that is being deleted nothing may stay.
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
      return await newer.orderBy('id').limit(MOST_LINES).execute();
    },
  };
}
