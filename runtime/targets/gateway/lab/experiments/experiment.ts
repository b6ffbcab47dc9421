import type { Kysely } from 'kysely';
import type { Viewer } from '../datasets/dataset.ts';
import type { Page } from '../../store/page.ts';
import type { Schema } from '../../store/schema.ts';
import type { TaskDefinition } from '../work/work.ts';

/** Several models that do the same with one dataset. */
export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly datasetId: string;
  /** Only so many rows, the first ones; -1 for all. */
  readonly maxSamples: number;
  readonly task: TaskDefinition;
  /** The user it belongs to; null for the master key. */
  readonly owner: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

interface NewExperiment extends Pick<
  Experiment,
  'name' | 'description' | 'datasetId' | 'maxSamples' | 'task' | 'owner'
> {}

/** The workflows of an experiment, which end with it. */
export interface ExperimentWorkflows {
  stopOf(experimentId: string): Promise<void>;
  deleteOf(trx: Kysely<Schema>, experimentId: string): Promise<void>;
}

export interface Experiments {
  /** Throws an InputError for a dataset that is not there, or that the task can do nothing with. */
  create(viewer: Viewer, experiment: NewExperiment): Promise<Experiment>;
  /** Newest first, and how many there are. */
  list(
    viewer: Viewer,
    page: Page,
  ): Promise<{ readonly total: number; readonly items: readonly Experiment[] }>;
  /** Throws a NotFoundError. */
  get(viewer: Viewer, id: string): Promise<Experiment>;
  /** With its workflows: what runs is stopped. */
  delete(viewer: Viewer, id: string): Promise<void>;
  /** Throws a ConflictError if one of them uses the dataset, or a workflow made it and is still there. */
  refuseUsed(db: Kysely<Schema>, datasetId: string): Promise<void>;
}
