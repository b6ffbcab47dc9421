import type { Datasets } from '../datasets/dataset.ts';

/** Intervals and tests of more rows would say the same. */
const MOST_ROWS = 200_000;

/** Scores of rows by metric, NaN where a row has none. */
export async function rowScores(
  datasets: Pick<Datasets, 'rows'>,
  setId: string,
  { rows, metrics }: { readonly rows: number; readonly metrics: readonly string[] },
): Promise<ReadonlyMap<string, Float64Array>> {
  const size = Math.min(rows, MOST_ROWS);
  const found = new Map(metrics.map((name) => [name, new Float64Array(size).fill(NaN)]));
  for await (const { firstRow, rows: chunk } of datasets.rows(setId)) {
    for (const [name, scores] of found) {
      for (const [at, row] of chunk.entries()) {
        const score = row[name];
        if (typeof score === 'number' && firstRow + at < size) scores[firstRow + at] = score;
      }
    }
    if (firstRow + chunk.length >= size) break;
  }
  return found;
}
