import type { Json, Metric, RowScores } from '../metric.ts';
import { metricResult, withoutRows } from '../result.ts';
import { runningMeans } from './running-means.ts';

/** A metric whose values are the means of its row scores. */
export function meanMetric<Row>(
  names: readonly string[],
  score: (row: Row) => RowScores,
  saved?: Json,
): Metric<Row> {
  const means = runningMeans(names, saved);
  return {
    add(row) {
      const scores = score(row);
      means.add(scores);
      return scores;
    },
    result() {
      const numbers = means.numbers();
      return metricResult(means.isEmpty() ? withoutRows(numbers) : numbers);
    },
    save: means.save,
  };
}
