import { AppError } from '../../../../contract/errors.ts';
import { deleteRows } from '../datasets/chunks.ts';
import { replaceRows } from '../datasets/replace-rows.ts';
import type { Store } from '../../store/store.ts';
import { lockRow } from '../../store/lock-row.ts';
import { storableText } from '../../store/storable-text.ts';
import type { JobQueue } from './job.ts';
import { afterBatch, heldRow, NO_LEASE } from './claims.ts';

/** Retries of ended jobs. Rows with an answer keep it. */
export function createRetries({ db }: Pick<Store, 'db'>): Pick<JobQueue, 'retry' | 'replace'> {
  return {
    async retry(trx, { id, outputId: oldOutput, failedRows, spec: { type } }, retry) {
      const { spec, timeoutSec, compute, outputId, resumes } = retry;
      const retriesFailedRows = resumes && failedRows > 0 && type !== 'evaluation';
      const { numUpdatedRows } = await trx
        .updateTable('gateway_jobs')
        .set({
          ...(resumes ? {} : AT_FIRST_ROW),
          ...NO_LEASE,
          status: 'created',
          spec: storableText(JSON.stringify(spec)),
          output_id: outputId,
          retry_row: retriesFailedRows ? 0 : null,
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
      if (!resumes && oldOutput !== null) await deleteRows(trx, oldOutput);
    },
    replace: ({ job, epoch }, { from, next, numbers, outcome }, checkpoint) =>
      db.transaction().execute(async (trx) => {
        await lockRow(trx, 'gateway_jobs', job.id);
        const row = await heldRow(trx, job.id, epoch);
        if (row.retry_row !== from || row.output_id === null) {
          const message = `Job ${row.id} retries from row ${row.retry_row}, not from row ${from}.`;
          throw new AppError('ConflictError', message, { reason: 'wrong_row' });
        }
        const { rows, failed, usage } = outcome;
        const byNumber = new Map(rows.map((one, at) => [numbers[at] ?? -1, one]));
        await replaceRows(trx, row.output_id, byNumber);
        const failedRows = row.failed_rows - rows.length + failed;
        await trx
          .updateTable('gateway_jobs')
          .set({
            ...afterBatch(row, usage, checkpoint),
            retry_row: next,
            failed_rows: failedRows,
          })
          .where('id', '=', row.id)
          .execute();
        // Rows whose annotation failed had no ground truth. Now all rows have one.
        if (next !== null || failedRows > 0 || job.spec.type !== 'annotate') return;
        await trx
          .updateTable('gateway_datasets')
          .set({ ground_truth: 1 })
          .where('id', '=', row.output_id)
          .execute();
      }),
  };
}

const AT_FIRST_ROW = {
  done_rows: 0,
  failed_rows: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  checkpoint: null,
} as const;
