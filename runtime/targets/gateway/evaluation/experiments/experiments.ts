import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { Clock } from '#platform/clock.ts';
import type { Dataset, Datasets } from '../datasets/dataset.ts';
import { sampleSize } from './sample/choose-rows.ts';
import type { Schema } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import { lockMeta } from '../../store/lock-meta.ts';
import { lockRow } from '../../store/lock-row.ts';
import { newestFirst } from '../../store/newest-first.ts';
import { matches } from '../../store/search.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import { EVALUATED_TASKS } from '../work/tasks/index.ts';
import type { Experiment, Experiments, ExperimentWorkflows } from './experiment.ts';
import { checkRows, noDataset } from './check-rows.ts';
import { renamedDataset, sampleDataset } from './sample/sample-dataset.ts';
import { labelsAlone, labelColumns } from './labels.ts';
import type { Viewer, Owner } from '../../shared/owner.ts';
import { isVisible, ownedColumns, ownerIn } from '../../store/space-columns.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { TaskDefinition } from '../work/work.ts';

export interface ExperimentParts {
  readonly clock: Clock;
  readonly datasets: Datasets;
  readonly workflows: ExperimentWorkflows;
}

export function createExperiments(
  { db, audit }: Pick<Store, 'db' | 'audit'>,
  { clock, datasets, workflows }: ExperimentParts,
): Experiments {
  const visible = (viewer: Viewer) => {
    const query = db.selectFrom('gateway_experiments');
    return query.where(isVisible(viewer));
  };
  const get = async (viewer: Viewer, id: string): Promise<Experiment> => {
    const row = isStorable(id)
      ? await visible(viewer).where('id', '=', id).selectAll().executeTakeFirst()
      : undefined;
    if (row) return experimentOf(row);
    throw new AppError('NotFoundError', `Experiment with ID ${id} not found`, {
      reason: 'experiment_not_found',
    });
  };
  const datasetOf = async (viewer: Viewer, id: string): Promise<Dataset> => {
    try {
      return await datasets.get(viewer, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NotFoundError') throw noDataset(id);
      throw error;
    }
  };

  return {
    async create(viewer, { name, description, task, owner, tags, sampling, columns, ...rows }) {
      const found = { ...(await datasetOf(viewer, rows.datasetId)), owner };
      const whole = columns ? await renamedDataset(datasets, found, columns) : found;
      const dataset = sampling ? await sampleDataset(datasets, whole, rows.maxSamples, sampling) : whole;
      const [datasetId, maxSamples] = [dataset.id, sampling ? -1 : rows.maxSamples];
      await checkRows(datasets, dataset, {
        task: EVALUATED_TASKS[task.task],
        rows: sampleSize(dataset.rowCount, maxSamples),
      });
      const now = Math.floor(clock.now());
      const row = await db.transaction().execute(async (trx) => {
        // The lock serializes creation, so that two concurrent experiments cannot get the same name.
        await lockMeta(trx);
        if (!(await lockRow(trx, 'gateway_datasets', datasetId))) throw noDataset(datasetId);
        const free = await freeName(trx, storableText(name), owner, now);
        return await trx
          .insertInto('gateway_experiments')
          .values({
            id: randomUUID().replaceAll('-', ''),
            ...labelColumns({ name: free, description, tags }),
            dataset_id: datasetId,
            max_samples: maxSamples,
            task: storableText(JSON.stringify(task)),
            ...ownedColumns(owner),
            created_at: now,
            updated_at: null,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return experimentOf(row);
    },
    async list(viewer, page, search = {}) {
      const { total, rows } = await newestFirst(visible(viewer).where(matches(search)).selectAll(), page);
      return { total, items: rows.map(experimentOf) };
    },
    get,
    async change(viewer, id, changes) {
      const before = await get(viewer, id);
      const after = { ...before, ...omitUndefined({ ...changes }) };
      await db.transaction().execute(async (trx) => {
        await lockMeta(trx);
        if (after.name !== before.name && (await isTaken(trx, storableText(after.name), before.owner)))
          throw nameTaken(after.name);
        await trx
          .updateTable('gateway_experiments')
          .set({ ...labelColumns(after), updated_at: Math.floor(clock.now()) })
          .where('id', '=', id)
          .execute();
        const changed = { before: labelsAlone(before), after: labelsAlone(after) };
        await audit.record(trx, { at: clock.now(), action: 'experiment.update', object: id, ...changed });
      });
      return await get(viewer, id);
    },
    async delete(viewer, id) {
      const { name, owner } = await get(viewer, id);
      await workflows.stopOf(id);
      await db.transaction().execute(async (trx) => {
        // The experiment is deleted first, so that no workflow can be added in the meantime.
        await trx.deleteFrom('gateway_experiments').where('id', '=', id).execute();
        await workflows.deleteOf(trx, id);
        await trx.deleteFrom('gateway_answers').where('experiment_id', '=', id).execute();
        const event = {
          action: 'experiment.delete',
          object: id,
          before: { name, owner: owner?.userId ?? null },
        };
        await audit.record(trx, { at: clock.now(), ...event });
      });
    },
    refuseUsed,
  };
}

const nameTaken = (name: string): AppError =>
  new AppError(
    'ConflictError',
    `An experiment named ${JSON.stringify(name)} already exists. Choose another name.`,
    {
      reason: 'experiment_exists',
    },
  );

/** Throws a ConflictError if an experiment uses the dataset, or a workflow wrote it. */
async function refuseUsed(db: Kysely<Schema>, datasetId: string): Promise<void> {
  const experiment = await db
    .selectFrom('gateway_experiments')
    .select('name')
    .where('dataset_id', '=', datasetId)
    .executeTakeFirst();
  if (experiment)
    throw inUse(
      datasetId,
      `experiment ${JSON.stringify(experiment.name)} uses it. Delete the experiment first.`,
    );
  const workflow = await db
    .selectFrom('gateway_workflows as w')
    .innerJoin('gateway_datasets as d', 'd.run_id', 'w.id')
    .select('w.id')
    .where('d.id', '=', datasetId)
    .executeTakeFirst();
  if (workflow)
    throw inUse(
      datasetId,
      `it contains the responses of workflow ${workflow.id}. Delete the workflow first.`,
    );
}

const inUse = (id: string, why: string): AppError =>
  new AppError('ConflictError', `Cannot delete dataset ${id}: ${why}`, {
    reason: 'dataset_in_use',
  });

const experimentOf = (row: Selectable<Schema['gateway_experiments']>): Experiment => ({
  id: row.id,
  name: row.name,
  description: row.description,
  datasetId: row.dataset_id,
  maxSamples: row.max_samples,
  task: parseJsonText(row.task) as TaskDefinition,
  owner: ownerIn(row),
  tags: parseJsonText(row.tags) as readonly string[],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/**
 * The requested name or, if the owner already has an experiment with this name, the name plus a timestamp, as
 * in the reference API.
 */
async function freeName(
  trx: Kysely<Schema>,
  name: string,
  owner: Owner | null,
  now: number,
): Promise<string> {
  let candidate = name;
  // Microseconds distinguish experiments created in the same millisecond.
  for (let later = 0; await isTaken(trx, candidate, owner); later += 1)
    candidate = `${name}_${stampOf(now, later)}`;
  return candidate;
}

/** Whether the owner has an experiment with this name. */
async function isTaken(trx: Kysely<Schema>, name: string, owner: Owner | null): Promise<boolean> {
  const row = await trx
    .selectFrom('gateway_experiments')
    .select('id')
    .where('name', '=', name)
    .where('space', 'is not distinct from', owner?.space ?? null)
    .executeTakeFirst();
  return row !== undefined;
}

/** A timestamp such as `20260131120000250000`. */
const stampOf = (now: number, microseconds: number): string =>
  new Date(now)
    .toISOString()
    .replaceAll(/[-:TZ.]/g, '')
    .concat(String(microseconds).padStart(3, '0'));
