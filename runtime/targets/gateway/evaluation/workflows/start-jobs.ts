import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Dataset } from '../datasets/dataset.ts';
import type { JobServices } from '../jobs/job-services.ts';
import type { Schema } from '../../store/schema.ts';
import type { Workflow } from './workflow.ts';

type Started = Pick<Workflow, 'id' | 'name' | 'description' | 'plan' | 'owner' | 'teamId' | 'keyId'>;
type Services = Pick<JobServices, 'queue' | 'datasets'> & { readonly compute: string };

/** Starts a workflow's first job, in which the model processes the rows. */
export async function startInference(
  trx: Kysely<Schema>,
  { id, name, description, plan, owner, teamId, keyId }: Started,
  datasetId: string,
  { queue, datasets, compute }: Services,
): Promise<void> {
  const outputId = await datasets.begin(trx, {
    filename: plan.outputName,
    runId: id,
    generatedBy: plan.model,
    owner,
  });
  await queue.create(trx, {
    workflowId: id,
    name: `${name}-inference`,
    description,
    spec: plan.inference,
    datasetId,
    outputId,
    totalRows: plan.rows,
    compute,
    timeoutSec: plan.timeoutSec,
    owner,
    teamId,
    keyId,
  });
}

/** Starts a workflow's second job, which compares the outputs with the ground truth. */
export async function startEvaluation(
  trx: Kysely<Schema>,
  { id, name, description, plan, owner, teamId, keyId }: Started,
  answers: Pick<Dataset, 'id' | 'rowCount'>,
  { queue, compute }: Services,
): Promise<void> {
  await queue.create(trx, {
    workflowId: id,
    name: `${name}-evaluation`,
    description,
    spec: plan.evaluation,
    datasetId: answers.id,
    outputId: randomUUID(),
    totalRows: answers.rowCount,
    compute,
    timeoutSec: plan.timeoutSec,
    owner,
    teamId,
    keyId,
  });
}
