import { type AnyJson, type Metric, type RowScores, metricResult, withoutRows } from '../metric.ts';

/** A metric whose values are the means of its row scores. */
export function meanMetric<Row>(
  names: readonly string[],
  score: (row: Row) => RowScores,
  saved?: AnyJson,
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

interface RunningMeans {
  readonly add: (scores: RowScores) => void;
  readonly isEmpty: () => boolean;
  readonly numbers: () => Record<string, number>;
  readonly save: () => AnyJson;
}

interface Saved {
  readonly rows: number;
  readonly sums: Readonly<Record<string, number>>;
}

/** Mean of each score over all rows, under the score's name. */
export function runningMeans(names: readonly string[], json?: AnyJson): RunningMeans {
  const saved = json as Saved | undefined;
  const sums = new Map(names.map((name) => [name, saved?.sums[name] ?? 0]));
  let rows = saved?.rows ?? 0;
  return {
    add(scores) {
      for (const [name, sum] of sums) sums.set(name, sum + (scores[name] ?? 0));
      rows += 1;
    },
    isEmpty: () => rows === 0,
    numbers: () => Object.fromEntries(Array.from(sums, ([name, sum]) => [name, sum / rows])),
    save: () => ({ rows, sums: Object.fromEntries(sums) }),
  };
}

/** The F-measure of precision and recall; 0 if their sum is not positive, because cosines can be negative. */
export const harmonicMean = (precision: number, recall: number): number =>
  precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
