import type { Datasets } from '../datasets/dataset.ts';
import type { Experiment } from '../experiments/experiment.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';
import { readRowIndex, type RowIndex } from './row-index.ts';

export type RowIndexes = (experiment: Experiment, workflows: readonly WorkflowDetails[]) => Promise<RowIndex>;

/** Maximum number of cached indexes. An index of 100,000 rows with long texts takes hundreds of megabytes. */
const MAX_CACHED = 2;

/** Caches the rows of the most recently read experiments. Concurrent requests share one read. */
export function createRowIndexes(datasets: Pick<Datasets, 'rows' | 'output'>): RowIndexes {
  const cache = new Map<string, { readonly version: string; readonly index: Promise<RowIndex> }>();
  return (experiment, workflows) => {
    // Rows change while jobs run, and when a workflow is retried.
    const version = JSON.stringify(
      workflows.map(({ id, updatedAt, jobs }) => [
        id,
        updatedAt,
        jobs.map((job) => [job.id, job.status, job.doneRows, job.failedRows]),
      ]),
    );
    const known = cache.get(experiment.id);
    const entry =
      known?.version === version ? known : { version, index: readRowIndex(experiment, workflows, datasets) };
    entry.index.catch(() => cache.delete(experiment.id));
    cache.delete(experiment.id);
    cache.set(experiment.id, entry);
    for (const oldest of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(oldest);
    return entry.index;
  };
}
