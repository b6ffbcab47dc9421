import type { Datasets } from '../datasets/dataset.ts';

/** Maximum rows for intervals and tests. More rows would hardly change the result. */
const MAX_ROWS = 200_000;

/** Scores of rows by metric; NaN for a row without a score. */
export async function rowScores(
  datasets: Pick<Datasets, 'rows'>,
  setId: string,
  { rows, metrics }: { readonly rows: number; readonly metrics: readonly string[] },
): Promise<ReadonlyMap<string, Float64Array>> {
  const size = Math.min(rows, MAX_ROWS);
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
