import type { RowIndex } from '../rows/row-index.ts';
import { type Plots, plotsOf } from './plots.ts';

/** Maximum number of cached plots per experiment, one for each metric and label. */
const MAX_CACHED = 50;

/**
 * Computes the plots once per metric and label, because 100,000 rows take several tenths of a second. Changed
 * rows get a new index.
 */
export function createPlots(): typeof plotsOf {
  const cache = new WeakMap<RowIndex, Map<string, Plots>>();
  return (index, workflows, wanted) => {
    const known = cache.get(index) ?? new Map<string, Plots>();
    const key = JSON.stringify([wanted.metric, wanted.label]);
    const plots = known.get(key) ?? plotsOf(index, workflows, wanted);
    if (known.size >= MAX_CACHED) known.clear();
    known.set(key, plots);
    cache.set(index, known);
    return plots;
  };
}
