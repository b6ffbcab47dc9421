import type { Experiment } from '../experiments/experiment.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';
import { isActive } from '../workflows/workflow-row.ts';
import type { Comparison } from './comparison.ts';
import { compareExperiment, type CompareParts } from './compare-experiment.ts';

/** Compares the workflows of an experiment, and shows this many of the rows that they answer differently. */
export type Comparer = (
  experiment: Experiment,
  all: readonly WorkflowDetails[],
  mostDisagreements: number,
) => Promise<Comparison>;

const MOST_KEPT = 8;
/** Longer ones are too large to be kept. */
const MOST_KEPT_DISAGREEMENTS = 100;

/**
 * What is over stays as it is, and to compare many rows takes seconds of the processor: the last comparisons are kept, and asked
 * for several times at once they are made once.
 */
export function createComparer(parts: CompareParts): Comparer {
  const kept = new Map<string, Promise<Comparison>>();
  return (experiment, all, most) => {
    if (all.some(isActive) || most > MOST_KEPT_DISAGREEMENTS) {
      return compareExperiment(experiment, all, most, parts);
    }
    // Whatever is done again ends at another time.
    const key = JSON.stringify([experiment.id, most, all.map(({ id, updatedAt }) => [id, updatedAt])]);
    const made = kept.get(key) ?? compareExperiment(experiment, all, most, parts);
    made.catch(() => kept.delete(key));
    kept.delete(key);
    kept.set(key, made);
    for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
    return made;
  };
}
