import type { Kysely } from 'kysely';
import type { Viewer } from '../datasets/dataset.ts';
import type { Page } from '../../store/page.ts';
import type { Schema } from '../../store/schema.ts';
import type { Sampling } from './sample/sample-dataset.ts';
import type { TaskDefinition } from '../work/work.ts';

/** A comparison of several models that do the same task on one dataset. */
export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly datasetId: string;
  /** Number of rows to use, from the first one; -1 for all. */
  readonly maxSamples: number;
  readonly task: TaskDefinition;
  readonly tags: readonly string[];
  /** The user it belongs to; null for the master key. */
  readonly owner: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

interface NewExperiment extends Pick<
  Experiment,
  'name' | 'description' | 'datasetId' | 'maxSamples' | 'task' | 'tags' | 'owner'
> {
  /** Undefined for the first rows. */
  readonly sampling: Sampling | undefined;
}

/** The workflows of an experiment, which end with it. */
export interface ExperimentWorkflows {
  stopOf(experimentId: string): Promise<void>;
  deleteOf(trx: Kysely<Schema>, experimentId: string): Promise<void>;
}

export interface ExperimentFilter {
  /** Text in the name or the description; case is ignored. */
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
}

export interface Experiments {
  /** Creates an experiment, with a sample as its dataset if requested. Throws an InputError if the dataset is missing or does not fit the task. */
  create(viewer: Viewer, experiment: NewExperiment): Promise<Experiment>;
  /** Experiments, newest first, with their total number. */
  list(
    viewer: Viewer,
    page: Page,
    filter?: ExperimentFilter,
  ): Promise<{ readonly total: number; readonly items: readonly Experiment[] }>;
  /** Reads an experiment. Throws a NotFoundError if it does not exist or is not visible. */
  get(viewer: Viewer, id: string): Promise<Experiment>;
  /** Deletes an experiment with its workflows. Running jobs are stopped. */
  delete(viewer: Viewer, id: string): Promise<void>;
  /** Throws a ConflictError if an experiment uses the dataset, or if it contains the answers of an existing workflow. */
  refuseUsed(db: Kysely<Schema>, datasetId: string): Promise<void>;
}
