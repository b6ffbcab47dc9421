import type { Kysely } from 'kysely';
import { AppError } from '../../../../contract/errors.ts';
import type { Schema } from '../../store/schema.ts';

/** Throws a ConflictError if an experiment uses the dataset, or a workflow wrote it. */
export async function refuseUsed(db: Kysely<Schema>, datasetId: string): Promise<void> {
  const experiment = await db
    .selectFrom('gateway_experiments')
    .select('name')
    .where('dataset_id', '=', datasetId)
    .executeTakeFirst();
  if (experiment) throw inUse(datasetId, `the experiment ${JSON.stringify(experiment.name)} uses it`);
  const workflow = await db
    .selectFrom('gateway_workflows as w')
    .innerJoin('gateway_datasets as d', 'd.run_id', 'w.id')
    .select('w.id')
    .where('d.id', '=', datasetId)
    .executeTakeFirst();
  if (workflow) throw inUse(datasetId, `it holds the answers of workflow ${workflow.id}`);
}

const inUse = (id: string, why: string): AppError =>
  new AppError('ConflictError', `Cannot delete dataset ${id}: ${why}. Delete that first.`, {
    reason: 'dataset_in_use',
  });
