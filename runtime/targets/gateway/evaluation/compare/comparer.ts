import type { Experiment } from '../experiments/experiment.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';
import { isActive } from '../workflows/workflow-row.ts';
import type { Comparison } from './comparison.ts';
import { compareExperiment, type CompareParts } from './compare-experiment.ts';

/** Compares the workflows of an experiment. The result contains at most `maxDisagreements` rows with different answers. */
export type Comparer = (
  experiment: Experiment,
  all: readonly WorkflowDetails[],
  maxDisagreements: number,
) => Promise<Comparison>;

const MAX_CACHED = 8;
/** Comparisons with more disagreements are too large for the cache. */
const MAX_CACHED_DISAGREEMENTS = 100;

/**
 * Caches the last comparisons. The results of ended workflows do not change, and comparing many rows takes seconds of CPU time.
 * Concurrent requests for the same comparison share one computation.
 */
export function createComparer(parts: CompareParts): Comparer {
  const cache = new Map<string, Promise<Comparison>>();
  return (experiment, all, maxDisagreements) => {
    if (all.some(isActive) || maxDisagreements > MAX_CACHED_DISAGREEMENTS) {
      return compareExperiment(experiment, all, maxDisagreements, parts);
    }
    // A retried or renamed workflow has another `updatedAt`.
    const key = JSON.stringify([
      experiment.id,
      experiment.updatedAt,
      maxDisagreements,
      all.map(({ id, updatedAt }) => [id, updatedAt]),
    ]);
    const comparison = cache.get(key) ?? compareExperiment(experiment, all, maxDisagreements, parts);
    comparison.catch(() => cache.delete(key));
    cache.delete(key);
    cache.set(key, comparison);
    for (const oldest of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(oldest);
    return comparison;
  };
}
