import type { Store } from '../store/store.ts';

/** The rows that a job's worker is currently processing. */
export interface WorkerProgress {
  readonly jobId: string;
  readonly worker: string;
  /** Number of its range's first row (0-based). */
  readonly firstRow: number;
  readonly rows: number;
  readonly doneRows: number;
  readonly failedRows: number;
}

/** What each worker of these jobs is doing, in row order. */
export async function workerProgress(
  { db }: Pick<Store, 'db'>,
  jobIds: readonly string[],
): Promise<readonly WorkerProgress[]> {
  if (jobIds.length === 0) return [];
  const rows = await db
    .selectFrom('gateway_job_ranges')
    .select(['job_id', 'lease_owner', 'first_row', 'row_count', 'next_row', 'failed_rows'])
    .where('job_id', 'in', jobIds)
    .where('ended', '=', 0)
    .where('lease_owner', 'is not', null)
    .orderBy('job_id')
    .orderBy('first_row')
    .execute();
  return rows.map((row) => ({
    jobId: row.job_id,
    worker: row.lease_owner ?? '',
    firstRow: row.first_row,
    rows: row.row_count,
    doneRows: row.next_row - row.first_row,
    failedRows: row.failed_rows,
  }));
}
