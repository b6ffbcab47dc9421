import type { Kysely } from 'kysely';
import type { ListPage } from '../../store/page.ts';
import type { Schema } from '../../store/schema.ts';
import type { Search } from '../../store/search.ts';
import type { ColumnMapping } from '../datasets/dataset.ts';
import type { Sampling } from './sample/sample-dataset.ts';
import type { TaskDefinition } from '../work/work.ts';
import type { Owner, Viewer } from '../../shared/owner.ts';

/** A comparison of several models on the same task and dataset. */
export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly datasetId: string;
  /** Number of rows to use, starting with the first; -1 for all. */
  readonly maxSamples: number;
  readonly task: TaskDefinition;
  /** The user who owns it; null for the master key. */
  readonly owner: Owner | null;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** New values for an experiment or workflow; undefined leaves a value unchanged. */
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
  /** New column names. The renamed rows are stored as a separate dataset. */
  readonly columns: ColumnMapping | undefined;
}

/** An experiment's workflows, which are deleted with it. */
export interface ExperimentWorkflows {
  stopOf(experimentId: string): Promise<void>;
  deleteOf(trx: Kysely<Schema>, experimentId: string): Promise<void>;
}

export interface Experiments {
  /**
   * Creates an experiment, with a sample as its dataset if requested. Throws an InputError if the dataset is
   * missing or does not fit the task.
   */
  create(viewer: Viewer, experiment: NewExperiment): Promise<Experiment>;
  /** Experiments, newest first, with their total count. */
  list(
    viewer: Viewer,
    page: ListPage,
    search?: Search,
  ): Promise<{ readonly total: number; readonly items: readonly Experiment[] }>;
  /** Reads an experiment. Throws a NotFoundError if it does not exist or is not visible. */
  get(viewer: Viewer, id: string): Promise<Experiment>;
  /** Updates an experiment. Throws a ConflictError if the owner has another one with the new name. */
  change(viewer: Viewer, id: string, changes: LabelChanges): Promise<Experiment>;
  /** Deletes an experiment with its workflows. Running jobs are stopped. */
  delete(viewer: Viewer, id: string): Promise<void>;
  /**
   * Throws a ConflictError if an experiment uses the dataset, or if it contains the outputs of an existing
   * workflow.
   */
  refuseUsed(db: Kysely<Schema>, datasetId: string): Promise<void>;
}
