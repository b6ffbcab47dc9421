import { type Kysely, sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { deleteRows } from '../datasets/chunks.ts';
import type { Schema } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { JobQueue } from './job.ts';
import { NO_LEASE } from './lease.ts';
import { deleteRanges } from './ranges/delete-ranges.ts';

/** Retries of ended jobs. Rows with an answer keep it. */
export function createRetries(): Pick<JobQueue, 'retry'> {
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

/** Without rows, a retry can use new versions of the files. */
const FILES_WITH_ROWS = sql<string | null>`case done_rows when 0 then null else files end`;

const AT_FIRST_ROW = {
  done_rows: 0,
  failed_rows: 0,
  next_row: 0,
  files: null,
  prompt_tokens: 0,
  completion_tokens: 0,
} as const;
