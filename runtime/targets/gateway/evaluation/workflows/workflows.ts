import { randomUUID } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { Clock } from '#platform/clock.ts';
import type { JobServices } from '../jobs/job-services.ts';
import { isOver, jobOf } from '../jobs/job-row.ts';
import type { Store } from '../../store/store.ts';
import { newestFirst } from '../../store/newest-first.ts';
import { matches } from '../../store/search.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import { labelsAlone, labelColumns } from '../experiments/labels.ts';
import {
  type Workflow,
  type WorkflowDetails,
  type Workflows,
  type NewWorkflow,
  type WorkflowPlan,
  predictionsName,
} from './workflow.ts';
import {
  type CheckParts,
  checkInferenceModel,
  checkEvaluationModels,
  checkPrompt,
  checkSecrets,
} from './check-backends.ts';
import { deleteWorkflow, refuseDependents, stopJobs } from './delete-workflow.ts';
import { retryLine, type JobRetryParts, retryJob } from './retry-job.ts';
import { payerOfRetry } from './retry-payer.ts';
import { startInference, startEvaluation } from './start-jobs.ts';
import { hasStatus, isActive, selectWorkflows, workflowOf } from './workflow-row.ts';
import type { Viewer } from '../../shared/owner.ts';
import { isVisible, ownedColumns } from '../../store/space-columns.ts';
import type { Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { sampleSize } from '../experiments/sample/choose-rows.ts';
import { checkRows } from '../experiments/check-rows.ts';
import { compileCustomMetrics } from '../work/evaluation/custom/check-custom.ts';
import { checkOutputField } from '../work/tasks/task.ts';
import { EVALUATED_TASKS } from '../work/tasks/index.ts';
import { inMember, inMemberAsync } from './member-errors.ts';
import { evaluationSpec, inferenceSpec } from './work-specs.ts';
import type { Job } from '../jobs/job.ts';
import { deleteRows } from '../datasets/chunks.ts';
import { deleteRanges } from '../jobs/ranges/held-range.ts';
import { changeInference, changePace, type RetryChanges } from './retry-changes.ts';

export interface WorkflowParts extends CheckParts {
  readonly clock: Clock;
  readonly services: JobServices;
}

export function createWorkflows({ db, audit }: Pick<Store, 'db' | 'audit'>, parts: WorkflowParts): Workflows {
  const { clock, compute, services } = parts;
  const { queue } = services;
  const now = (): number => Math.floor(clock.now());
  const visible = (viewer: Viewer) => selectWorkflows(db).where(isVisible(viewer, 'w.space'));
  const one = async (viewer: Viewer, id: string): Promise<Workflow> => {
    const row = isStorable(id) ? await visible(viewer).where('w.id', '=', id).executeTakeFirst() : undefined;
    if (row) return workflowOf(row);
    throw new AppError('NotFoundError', `Workflow with ID ${id} not found`, { reason: 'workflow_not_found' });
  };
  const detailed = async (all: readonly Workflow[]): Promise<readonly WorkflowDetails[]> =>
    await withJobs(db, all);
  const get = async (viewer: Viewer, id: string): Promise<WorkflowDetails> => {
    const [details] = await detailed([await one(viewer, id)]);
    if (!details) throw new Error(`workflow ${id} has no details`);
    return details;
  };
  const running = ({ jobs }: WorkflowDetails): readonly string[] =>
    jobs.filter(({ status }) => !isOver(status)).map(({ id }) => id);
  const ofExperiments = async (ids: readonly string[]): Promise<readonly WorkflowDetails[]> => {
    if (ids.length === 0) return [];
    const rows = await selectWorkflows(db)
      .where('w.experiment_id', 'in', ids)
      .orderBy('w.created_at')
      .orderBy('w.id')
      .execute();
    return await detailed(rows.map(workflowOf));
  };

  return {
    async create({ experiment, request, teamId, keyId, assertModelAllowed }) {
      const plan = await planWorkflow({ experiment, request, teamId, keyId, assertModelAllowed }, parts);
      const id = randomUUID().replaceAll('-', '');
      await db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('gateway_experiments')
          .set({ updated_at: now() })
          .where('id', '=', experiment.id)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw noExperiment(request.name);
        const { search_text: search, tags, ...texts } = labelColumns(request);
        const values = {
          id,
          experiment_id: experiment.id,
          ...texts,
          tags,
          search_text: search,
          ...ownedColumns(experiment.owner),
          team_id: teamId,
          key_id: keyId,
        };
        await trx
          .insertInto('gateway_workflows')
          .values({ ...NEW, ...values, spec: storableText(JSON.stringify(plan)), created_at: now() })
          .execute();
        const started = { id, ...texts, plan, owner: experiment.owner, teamId, keyId };
        await startInference(trx, started, experiment.datasetId, { ...services, compute });
      });
      return await one('everyone', id);
    },
    get,
    async list(viewer, { experimentId, status, ...search }, page) {
      let rows = visible(viewer).where(matches(search));
      if (experimentId !== undefined) rows = rows.where('w.experiment_id', '=', storableText(experimentId));
      if (status !== undefined) rows = rows.where(hasStatus(status));
      const { total, rows: shown } = await newestFirst(rows, page);
      return { total, items: await detailed(shown.map(workflowOf)) };
    },
    ofExperiments,
    async change(viewer, id, changes) {
      const before = await one(viewer, id);
      const after = { ...before, ...omitUndefined({ ...changes }) };
      await db.transaction().execute(async (trx) => {
        await trx
          .updateTable('gateway_workflows')
          .set({ ...labelColumns(after), updated_at: now() })
          .where('id', '=', id)
          .execute();
        const changed = { before: labelsAlone(before), after: labelsAlone(after) };
        await audit.record(trx, { at: now(), action: 'workflow.update', object: id, ...changed });
      });
      return await get(viewer, id);
    },
    async cancel(viewer, id) {
      const workflow = await get(viewer, id);
      if (!isActive(workflow)) throw notCancellable(workflow);
      await stopJobs(queue, running(workflow));
      // A job that ended before it could be stopped may have started the next one.
      await stopJobs(queue, running(await get(viewer, id)));
      return await get(viewer, id);
    },
    async retry(caller, id, changes) {
      const workflow = await get(caller.viewer, id);
      const job = jobToRetry(workflow);
      if (workflow.status === 'succeeded') await refuseDependents(db, id, 'retry');
      await checkSecrets(services.secrets, workflow.owner, [{ secretName: changes.secretName ?? null }]);
      const specs = [workflow.plan.inference, workflow.plan.evaluation];
      const keyId = await payerOfRetry({ ...workflow, name: `Workflow ${id}`, specs }, caller, services);
      await db
        .transaction()
        .execute((trx) => retryWorkflow(trx, workflow, changes, { ...parts, keyId, now: now() }));
      await queue.log(job.id, 'info', retryLine(job));
      return await get(caller.viewer, id);
    },
    async delete(viewer, id, force) {
      const workflow = await get(viewer, id);
      if (!force && isActive(workflow)) {
        throw new AppError('MalformedError', 'Cannot delete a running workflow', {
          reason: 'workflow_running',
        });
      }
      if (!force) await refuseDependents(db, id, 'delete');
      await stopJobs(queue, running(workflow));
      await db.transaction().execute(async (trx) => {
        await deleteWorkflow(trx, id);
        const { name, status, owner } = workflow;
        await audit.record(trx, {
          at: now(),
          action: 'workflow.delete',
          object: id,
          before: { name, status, owner: owner?.userId ?? null },
        });
      });
      return workflow;
    },
    async stopOf(experimentId) {
      const all = await ofExperiments([experimentId]);
      await stopJobs(queue, all.flatMap(running));
    },
    async deleteOf(trx, experimentId) {
      const all = await trx
        .selectFrom('gateway_workflows')
        .select('id')
        .where('experiment_id', '=', experimentId)
        .execute();
      for (const { id } of all) await deleteWorkflow(trx, id);
    },
    ended: async (trx, job) => await advance(trx, job, parts),
  };
}

const NEW = { status: 'created', error: null, metrics: null, artifact_id: null, updated_at: null } as const;

export const noExperiment = (name: string): AppError =>
  new AppError('MalformedError', `Cannot create workflow '${name}': No experiment found.`, {
    reason: 'experiment_not_found',
  });

const notCancellable = ({ id, status }: Workflow): AppError =>
  new AppError('ConflictError', `Workflow ${id} has already ${status} and cannot be canceled.`, {
    reason: 'workflow_over',
  });

/** Adds each workflow's jobs, newest first, with a single query for all workflows. */
async function withJobs(
  db: Kysely<Schema>,
  workflows: readonly Workflow[],
): Promise<readonly WorkflowDetails[]> {
  if (workflows.length === 0) return [];
  const rows = await db
    .selectFrom('gateway_jobs')
    .selectAll()
    .where(
      'workflow_id',
      'in',
      workflows.map(({ id }) => id),
    )
    .orderBy('created_at', 'desc')
    // A job can be created in the same millisecond as the previous one, so the type determines the order.
    .orderBy('type')
    .execute();
  const jobs = Map.groupBy(rows.map(jobOf), ({ workflowId }) => workflowId);
  return workflows.map((workflow) => ({ ...workflow, jobs: jobs.get(workflow.id) ?? [] }));
}

interface PlanParts extends CheckParts {
  readonly services: Pick<JobServices, 'datasets' | 'secrets' | 'trusts'>;
}

/** Plans a workflow's jobs. Throws for everything in the request that would make them fail later. */
async function planWorkflow(
  { experiment, request, assertModelAllowed }: NewWorkflow,
  parts: PlanParts,
): Promise<WorkflowPlan> {
  const { datasets, secrets } = parts.services;
  const { owner, task: definition, datasetId, maxSamples } = experiment;
  const { judge, embedder, name } = request;
  await checkSecrets(secrets, owner, [request, judge, embedder], `Cannot create workflow '${name}': `);
  const dataset = await datasets.get('everyone', datasetId);
  const rows = sampleSize(dataset.rowCount, maxSamples);
  const task = EVALUATED_TASKS[definition.task];
  const labels = await checkRows(datasets, dataset, { task, rows });
  const inference = inferenceSpec('inference', request, definition, [...labels.keys()], dataset.columns);
  inMember('inference_output_field', () => checkOutputField(task, inference));
  checkPrompt(inference, dataset.columns);
  const evaluation = evaluationSpec({ ...request, predictionField: request.outputField }, definition);
  await inMemberAsync('custom_metrics', () => compileCustomMetrics(evaluation.customMetrics ?? []));
  await checkInferenceModel(inference, labels, { owner, assertModelAllowed }, parts);
  await checkEvaluationModels(evaluation, { owner, assertModelAllowed }, parts);
  return {
    model: request.model,
    provider: request.provider,
    systemPrompt: inference.systemPrompt,
    promptName: request.promptName,
    timeoutSec: request.timeoutSec,
    rows,
    outputName: predictionsName(dataset.filename, request.model),
    inference: { ...inference, sharesAnswers: request.sharesAnswers, repeat: request.repeat },
    evaluation: { ...evaluation, sharesAnswers: request.sharesAnswers },
  };
}

interface AdvanceParts {
  readonly clock: Clock;
  readonly compute: string;
  readonly services: Pick<JobServices, 'queue' | 'datasets'>;
}

/**
 * Continues a workflow after a job has ended: starts the next job or ends the workflow. It runs in the
 * transaction that ends the job, so that both happen or neither does, even if a process is killed.
 */
async function advance(trx: Kysely<Schema>, job: Job, parts: AdvanceParts): Promise<void> {
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

/**
 * Metrics of all of a workflow's successful jobs. If several jobs have a metric of the same name, the last
 * one applies.
 */
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

interface RetryParts extends JobRetryParts {
  readonly now: number;
}

/**
 * The job to retry: the failed one or, in a successful workflow, the one with failed rows. Throws a
 * ConflictError if there is none.
 */
function jobToRetry({ id, status, jobs }: WorkflowDetails): Job {
  if (status === 'created' || status === 'running') throw notRetryable(id, `is ${status}`);
  const job =
    status === 'failed'
      ? jobs.find((one) => one.status === 'failed' || one.status === 'stopped')
      : jobs.find(({ spec, failedRows }) => spec.type === 'inference' && failedRows > 0);
  if (job) return job;
  throw notRetryable(id, 'has succeeded, and every row has a response');
}

/** Retries a workflow. Rows with a response keep it; the model processes failed and remaining rows. */
async function retryWorkflow(
  trx: Kysely<Schema>,
  workflow: WorkflowDetails,
  changes: RetryChanges,
  { now, ...parts }: RetryParts,
): Promise<void> {
  const { id, status, jobs } = workflow;
  const job = jobToRetry(workflow);
  const plan = changedPlan(workflow.plan, changes);
  const { numUpdatedRows } = await trx
    .updateTable('gateway_workflows')
    .set({
      status: 'created',
      error: null,
      metrics: null,
      updated_at: now,
      key_id: parts.keyId,
      spec: storableText(JSON.stringify(plan)),
    })
    .where('id', '=', id)
    .where('status', '=', status)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notRetryable(id, 'is already being retried');
  const isInference = job.spec.type !== 'evaluation';
  const changed = {
    spec: isInference ? plan.inference : plan.evaluation,
    timeoutSec: plan.timeoutSec,
    outputName: plan.outputName,
    generatedBy: plan.model,
  };
  await retryJob(trx, job, changed, parts);
  if (!isInference) return;
  for (const { id: outdated, spec, outputId } of jobs) {
    if (spec.type !== 'evaluation') continue;
    await trx.deleteFrom('gateway_jobs').where('id', '=', outdated).execute();
    await deleteRanges(trx, [outdated]);
    await trx.deleteFrom('gateway_job_logs').where('job_id', '=', outdated).execute();
    if (outputId !== null) await deleteRows(trx, outputId);
  }
}

const changedPlan = (plan: WorkflowPlan, changes: RetryChanges): WorkflowPlan => ({
  ...plan,
  timeoutSec: changes.timeoutSec ?? plan.timeoutSec,
  inference: changeInference(plan.inference, changes),
  evaluation: changePace(plan.evaluation, changes),
});

const notRetryable = (id: string, why: string): AppError =>
  new AppError(
    'ConflictError',
    `Workflow ${id} ${why}. Only workflows that failed or have failed rows can be retried.`,
    { reason: 'workflow_not_failed' },
  );
