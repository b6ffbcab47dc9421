import type { Datasets, RowCells } from '../../datasets/dataset.ts';
import type { Job } from '../job.ts';
import type { WorkerFailedRows } from './protocol.ts';

const MAX_ROWS = 1000;

/** The next failed rows before a row, with the model input. */
export async function failedRowsFrom(
  { datasetId, outputId }: Pick<Job, 'datasetId' | 'outputId'>,
  datasets: Pick<Datasets, 'rows'>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<WorkerFailedRows> {
  if (outputId === null) return { numbers: [], rows: [], next: null };
  const numbers: number[] = [];
  let next: number | null = null;
  for await (const { firstRow, rows } of datasets.rows(outputId, from)) {
    for (const [at, row] of rows.entries()) {
      if (firstRow + at < to && isFailedRow(row)) numbers.push(firstRow + at);
    }
    if (firstRow + rows.length >= to) break;
    if (numbers.length < MAX_ROWS) continue;
    next = firstRow + rows.length;
    break;
  }
  return { numbers, rows: await rowsAt(datasets, datasetId, numbers), next };
}

/** Reads single rows from a dataset. Chunks between them are skipped. */
async function rowsAt(
  datasets: Pick<Datasets, 'rows'>,
  setId: string,
  numbers: readonly number[],
): Promise<readonly RowCells[]> {
  const found: RowCells[] = [];
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

/** Whether a row in a job's output has an error instead of a response. */
const isFailedRow = ({ error }: RowCells): boolean => typeof error === 'string';
