import { percentile } from '../metrics/compare/percentile.ts';
import type { Datasets } from '../datasets/dataset.ts';
import { rowScores } from './row-scores.ts';
import type { Latency } from './comparison.ts';

const COLUMN = 'latency_ms';

/** How long the rows of a dataset took that a model wrote. */
export async function latencyOf(
  datasets: Pick<Datasets, 'rows'>,
  datasetId: string,
  rows: number,
): Promise<Latency | null> {
  const all = (await rowScores(datasets, datasetId, { rows, metrics: [COLUMN] })).get(COLUMN);
  const known = all?.filter((time) => !Number.isNaN(time)).sort() ?? new Float64Array();
  if (known.length === 0) return null;
  const mean = known.reduce((sum, time) => sum + time, 0) / known.length;
  return { mean, p50: percentile(known, 0.5), p95: percentile(known, 0.95) };
}
