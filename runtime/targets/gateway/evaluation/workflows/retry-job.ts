import type { Kysely } from 'kysely';
import type { Job } from '../jobs/job.ts';
import type { JobServices } from '../jobs/job-services.ts';
import type { Schema } from '../../store/schema.ts';
import type { WorkSpec } from '../work/work.ts';

export interface JobRetryParts {
  readonly services: Pick<JobServices, 'queue' | 'datasets'>;
  readonly compute: string;
  /** The key that pays for the retry. */
  readonly keyId: string | null;
}

interface ChangedJob {
  readonly spec: WorkSpec;
  readonly timeoutSec: number;
  /** The new dataset's name, if the stored rows are missing. */
  readonly outputName: string;
  readonly generatedBy: string;
}

/** Puts an ended job back into the queue. Rows with a response keep it. */
export async function retryJob(
  trx: Kysely<Schema>,
  job: Job,
  { spec, timeoutSec, outputName, generatedBy }: ChangedJob,
  { services, compute, keyId }: JobRetryParts,
): Promise<void> {
  const { queue, datasets } = services;
  const shared = { spec, timeoutSec, compute, keyId };
  if (job.spec.type === 'evaluation') {
    // Metrics cannot remove a failed row from their totals, so an evaluation with too many failed rows
    // restarts.
    const resumes = job.failedRows <= spec.maxErrorRate * job.totalRows;
    return await queue.retry(trx, job, { ...shared, outputId: job.outputId, resumes });
  }
  const { numUpdatedRows } = await trx
    .updateTable('gateway_datasets')
    .set({ complete: 0 })
    .where('id', '=', job.outputId)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) {
    return await queue.retry(trx, job, { ...shared, outputId: job.outputId, resumes: true });
  }
  // Earlier versions deleted the rows of failed jobs.
  const output = { filename: outputName, runId: job.workflowId, generatedBy, owner: job.owner };
  const outputId = await datasets.begin(trx, output);
  return await queue.retry(trx, job, { ...shared, outputId, resumes: false });
}

/** A retry's log line. */
export function retryLine({ doneRows, failedRows, spec, error }: Job): string {
  const kept = spec.type === 'evaluation' ? '' : `: ${doneRows - failedRows} rows keep their responses`;
  return `Retried${kept}.${error === null ? '' : ` Previous error: ${error}`}`;
}
