import type { Datasets, Row } from '../../datasets/dataset.ts';
import { isFailedRow } from '../../datasets/is-failed-row.ts';
import type { Job } from '../job.ts';
import type { WorkerFailedRows } from './protocol.ts';

const MAX_ROWS = 1000;

/** The next rows without an answer, as the model gets them. */
export async function failedRowsFrom(
  { datasetId, outputId, doneRows }: Pick<Job, 'datasetId' | 'outputId' | 'doneRows'>,
  datasets: Pick<Datasets, 'rows'>,
  from: number,
): Promise<WorkerFailedRows> {
  if (outputId === null) return { numbers: [], rows: [], next: null };
  const numbers: number[] = [];
  let next: number | null = null;
  for await (const { firstRow, rows } of datasets.rows(outputId, from)) {
    for (const [at, row] of rows.entries()) {
      if (firstRow + at < doneRows && isFailedRow(row)) numbers.push(firstRow + at);
    }
    if (numbers.length < MAX_ROWS) continue;
    next = firstRow + rows.length;
    break;
  }
  return { numbers, rows: await rowsAt(datasets, datasetId, numbers), next };
}

/** Chunks between the rows are skipped. */
async function rowsAt(
  datasets: Pick<Datasets, 'rows'>,
  setId: string,
  numbers: readonly number[],
): Promise<readonly Row[]> {
  const found: Row[] = [];
  while (found.length < numbers.length) {
    const start = numbers[found.length] ?? 0;
    const { done, value } = await datasets.rows(setId, start).next();
    if (done) return found;
    for (let number = numbers[found.length]; number !== undefined; number = numbers[found.length]) {
      const row = value.rows[number - value.firstRow];
      if (!row) break;
      found.push(row);
    }
  }
  return found;
}
