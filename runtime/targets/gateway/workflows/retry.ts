import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { JobServices } from '../jobs/job-services.ts';
import type { Schema } from '../store/schema.ts';
import type { WorkflowDetails } from './api.ts';
import { startEvaluation, startInference } from './start-jobs.ts';

export interface RetryParts {
  readonly services: JobServices;
  readonly compute: string;
  readonly now: number;
}

/** What the model answered is not asked for again; if it did not, all of it is. */
export async function retryWorkflow(
  trx: Kysely<Schema>,
  workflow: WorkflowDetails,
  { services, compute, now }: RetryParts,
): Promise<void> {
  const { id, experimentId } = workflow;
  const { numUpdatedRows } = await trx
    .updateTable('gateway_workflows')
    .set({ status: 'created', error: null, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'failed')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new AppError('ConflictError', `Workflow ${id} is being done again already.`);
  }
  const answers = await trx
    .selectFrom('gateway_datasets')
    .select(['id', 'row_count as rowCount'])
    .where('run_id', '=', id)
    .where('complete', '=', 1)
    .executeTakeFirst();
  const parts = { ...services, compute };
  if (answers) return await startEvaluation(trx, workflow, answers, parts);
  const { dataset_id: datasetId } = await trx
    .selectFrom('gateway_experiments')
    .select('dataset_id')
    .where('id', '=', experimentId)
    .executeTakeFirstOrThrow();
  return await startInference(trx, workflow, datasetId, parts);
}
