import type { Kysely } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import type { Job } from '../jobs/job.ts';
import type { JobServices } from '../jobs/job-services.ts';
import { jobOf } from '../jobs/job-row.ts';
import type { Schema } from '../../store/schema.ts';
import type { Workflow } from './workflow.ts';
import { startEvaluation } from './start-jobs.ts';
import { selectWorkflows, workflowOf } from './workflow-row.ts';

export interface AdvanceParts {
  readonly clock: Clock;
  readonly compute: string;
  readonly services: Pick<JobServices, 'queue' | 'datasets'>;
}

/**
 * Continues a workflow after the end of a job: starts the next job or ends the workflow. It runs in the transaction that ends the
 * job, so both happen or neither does, also if a process is killed.
 */
export async function advance(trx: Kysely<Schema>, job: Job, parts: AdvanceParts): Promise<void> {
  const { datasets } = parts.services;
  const writesDataset = job.spec.type !== 'evaluation' && job.outputId !== null;
  const answers =
    job.status === 'succeeded' && writesDataset ? await datasets.finish(trx, job.outputId) : undefined;
  if (job.workflowId === null) return;

  const row = await selectWorkflows(trx).where('w.id', '=', job.workflowId).executeTakeFirst();
  if (!row || row.status !== 'created') return;
  const workflow = workflowOf(row);
  if (job.status !== 'succeeded') {
    await finish(trx, workflow, { status: 'failed', error: failureOf(job) }, parts);
  } else if (answers) {
    await startEvaluation(trx, workflow, answers, { ...parts.services, compute: parts.compute });
  } else {
    const metrics = JSON.stringify(await metricsOf(trx, workflow.id));
    await finish(trx, workflow, { status: 'succeeded', metrics }, parts);
  }
}

type End =
  | { readonly status: 'succeeded'; readonly metrics: string }
  | { readonly status: 'failed'; readonly error: string };

async function finish(
  trx: Kysely<Schema>,
  { id }: Workflow,
  end: End,
  { clock }: Pick<AdvanceParts, 'clock'>,
): Promise<void> {
  await trx
    .updateTable('gateway_workflows')
    .set({ ...end, updated_at: Math.floor(clock.now()) })
    .where('id', '=', id)
    .execute();
}

/** The metrics of all succeeded jobs of a workflow. If several jobs have a metric of the same name, the last one applies. */
async function metricsOf(trx: Kysely<Schema>, id: string): Promise<Workflow['metrics']> {
  const rows = await trx
    .selectFrom('gateway_jobs')
    .selectAll()
    .where('workflow_id', '=', id)
    .where('status', '=', 'succeeded')
    .orderBy('created_at')
    .orderBy('started_at')
    .execute();
  return Object.assign({}, ...rows.map((row) => jobOf(row).result?.metrics ?? {}));
}

const JOB_NAMES = { inference: 'inference', annotate: 'annotation', evaluation: 'evaluation' } as const;

const failureOf = ({ spec, status, error }: Job): string =>
  `The ${JOB_NAMES[spec.type]} ${status === 'stopped' ? 'was stopped' : 'failed'}${error === null ? '.' : `: ${error}`}`;
