import { randomUUID } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { Clock } from '#platform/clock.ts';
import type { JobServices } from '../jobs/job-services.ts';
import { isOver } from '../jobs/job-row.ts';
import type { Store } from '../../store/store.ts';
import { newestFirst } from '../../store/newest-first.ts';
import { matches } from '../../store/search.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import { labelsIn, labelsOf } from '../experiments/labels.ts';
import { advance } from './advance.ts';
import type { Workflow, WorkflowDetails, Workflows } from './workflow.ts';
import type { CheckParts } from './check-backends.ts';
import { checkSecrets } from './check-secrets.ts';
import { deleteWorkflow, refuseDependents, stopJobs } from './delete-workflow.ts';
import { planWorkflow } from './plan.ts';
import { jobToRetry, retryWorkflow } from './retry.ts';
import { retryLine } from './retry-job.ts';
import { payerOfRetry } from './retry-payer.ts';
import { startInference } from './start-jobs.ts';
import { hasStatus, isActive, selectWorkflows, workflowOf } from './workflow-row.ts';
import { withJobs } from './with-jobs.ts';
import type { Viewer } from '../../shared/owner.ts';
import { isVisible, ownedColumns } from '../../store/space-columns.ts';

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
        const { search_text: search, tags, ...texts } = labelsOf(request);
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
          .set({ ...labelsOf(after), updated_at: now() })
          .where('id', '=', id)
          .execute();
        const changed = { before: labelsIn(before), after: labelsIn(after) };
        await audit.record(trx, { at: now(), action: 'workflow.update', object: id, ...changed });
      });
      return await get(viewer, id);
    },
    async cancel(viewer, id) {
      const workflow = await get(viewer, id);
      if (!isActive(workflow)) throw notCancellable(workflow);
      await stopJobs(queue, running(workflow));
      // A job that ended before it could be stopped has started the next one.
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
  new AppError('ConflictError', `Workflow ${id} has already ${status} and cannot be cancelled.`, {
    reason: 'workflow_over',
  });
