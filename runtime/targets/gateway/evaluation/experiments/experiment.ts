import type { Kysely } from 'kysely';
import type { ListPage } from '../../store/page.ts';
import type { Schema } from '../../store/schema.ts';
import type { Search } from '../../store/search.ts';
import type { ColumnMapping } from '../datasets/dataset.ts';
import type { Sampling } from './sample/sample-dataset.ts';
import type { TaskDefinition } from '../work/work.ts';
import type { Owner, Viewer } from '../../shared/owner.ts';

/** A comparison of several models that do the same task on one dataset. */
export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly datasetId: string;
  /** Number of rows to use, from the first one; -1 for all. */
  readonly maxSamples: number;
  readonly task: TaskDefinition;
  /** The user it belongs to; null for the master key. */
  readonly owner: Owner | null;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** New values of an experiment or a workflow; undefined for those that stay. */
export interface LabelChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

interface NewExperiment extends Pick<
  Experiment,
  'name' | 'description' | 'datasetId' | 'maxSamples' | 'task' | 'owner' | 'tags'
> {
  /** Undefined for the first rows. */
  readonly sampling: Sampling | undefined;
  /** New names of columns. The renamed rows become a dataset of their own. */
  readonly columns: ColumnMapping | undefined;
}

/** The workflows of an experiment, which end with it. */
export interface ExperimentWorkflows {
  stopOf(experimentId: string): Promise<void>;
  deleteOf(trx: Kysely<Schema>, experimentId: string): Promise<void>;
}

export interface Experiments {
  /** Creates an experiment, with a sample as its dataset if requested. Throws an InputError if the dataset is missing or does not fit the task. */
  create(viewer: Viewer, experiment: NewExperiment): Promise<Experiment>;
  /** Experiments, newest first, with their total number. */
  list(
    viewer: Viewer,
    page: ListPage,
    search?: Search,
  ): Promise<{ readonly total: number; readonly items: readonly Experiment[] }>;
  /** Reads an experiment. Throws a NotFoundError if it does not exist or is not visible. */
  get(viewer: Viewer, id: string): Promise<Experiment>;
  /** Changes an experiment. Throws a ConflictError if the owner has another one with the new name. */
  change(viewer: Viewer, id: string, changes: LabelChanges): Promise<Experiment>;
  /** Deletes an experiment with its workflows. Running jobs are stopped. */
  delete(viewer: Viewer, id: string): Promise<void>;
  /** Throws a ConflictError if an experiment uses the dataset, or if it contains the answers of an existing workflow. */
  refuseUsed(db: Kysely<Schema>, datasetId: string): Promise<void>;
}
