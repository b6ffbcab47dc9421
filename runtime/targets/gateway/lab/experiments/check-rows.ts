import { AppError, inputError, messageOf } from '../../../../contract/errors.ts';
import { createYielder } from '../../../../platform/run-yielding.ts';
import type { Dataset, Datasets, Row } from '../datasets/dataset.ts';
import type { Task } from '../work/tasks/task.ts';

/** Beyond, they are no labels: what is said of so many is said by the evaluation. */
const MOST_LABELS = 1000;

/**
 * All labels of the ground truth, each with the first row that has it, counted from 1. Throws an InputError for a dataset that the
 * task can do nothing with; every row is looked at, as the last one would fail as well as the first, only later.
 */
export async function checkRows(
  datasets: Pick<Datasets, 'rows'>,
  { id, columns }: Pick<Dataset, 'id' | 'columns'>,
  { task, rows }: { readonly task: Task; readonly rows: number },
): Promise<ReadonlyMap<string, number>> {
  const labels = new Map<string, number>();
  const yieldToOthers = createYielder();
  try {
    task.checkColumns(columns);
    for await (const { firstRow, rows: chunk } of datasets.rows(id)) {
      for (const [at, row] of chunk.slice(0, rows - firstRow).entries()) {
        for (const label of labelsOf(task, row, firstRow + at + 1)) {
          if (labels.size < MOST_LABELS && !labels.has(label)) labels.set(label, firstRow + at + 1);
        }
        await yieldToOthers();
      }
      if (firstRow + chunk.length >= rows) break;
    }
  } catch (error) {
    throw aboutDataset(AppError.from(error));
  }
  return labels;
}

function labelsOf(task: Task, row: Row, number: number): readonly string[] {
  try {
    return task.labelsOf(row);
  } catch (error) {
    throw inputError(`Row ${number} of the dataset: ${messageOf(error)}`, error);
  }
}

/** Says which member of the request it is about. */
export function aboutDataset({ code, message, reason }: AppError): AppError {
  if (code !== 'InputError') return new AppError(code, message, { reason });
  return new AppError('InputError', message, { details: [{ location: 'body.dataset', message }], reason });
}

export const noDataset = (id: string): AppError =>
  aboutDataset(inputError(`Dataset with ID ${id} not found`));
