import { AppError, inputError } from '../../../contract/errors.ts';
import type { Dataset, Datasets, Row } from '../datasets/api.ts';
import type { Task } from '../work/tasks/api.ts';

/** Enough to see whether a column is what the task takes it for. */
const FIRST_ROWS = 1000;

/** Throws an InputError for a dataset that the task can do nothing with. */
export async function checkRows(
  datasets: Datasets,
  { id, columns }: Pick<Dataset, 'id' | 'columns'>,
  { task, rows }: { readonly task: Task; readonly rows: number },
): Promise<void> {
  const firstRows: Row[] = [];
  for await (const chunk of datasets.rows(id)) {
    firstRows.push(...chunk.rows);
    if (firstRows.length >= FIRST_ROWS) break;
  }
  try {
    task.checkDataset({ columns, firstRows: firstRows.slice(0, Math.min(FIRST_ROWS, rows)) });
  } catch (error) {
    throw aboutDataset(AppError.from(error));
  }
}

/** Says which member of the request it is about. */
export function aboutDataset({ code, message, reason }: AppError): AppError {
  if (code !== 'InputError') return new AppError(code, message, { reason });
  return new AppError('InputError', message, { details: [{ location: 'body.dataset', message }], reason });
}

export const noDataset = (id: string): AppError =>
  aboutDataset(inputError(`Dataset with ID ${id} not found`));
