import { AppError, inputError, messageOf } from '#contract/errors.ts';
import { createYielder } from '#platform/run-yielding.ts';
import type { Dataset, Datasets, RowCells } from '../datasets/dataset.ts';
import type { EvaluatedTask } from '../work/tasks/task.ts';

/** Maximum number of labels that are returned. More distinct values are not a set of labels; the evaluation reports problems then. */
const MAX_LABELS = 1000;

/**
 * The labels of the ground truth, each with the first row that has it, counted from 1. Throws an InputError for a dataset that does
 * not fit the task. All rows are checked, because a problem in the last row would otherwise be found only during a job.
 */
export async function checkRows(
  datasets: Pick<Datasets, 'rows'>,
  { id, columns }: Pick<Dataset, 'id' | 'columns'>,
  { task, rows }: { readonly task: EvaluatedTask; readonly rows: number },
): Promise<ReadonlyMap<string, number>> {
  const labels = new Map<string, number>();
  const yieldToOthers = createYielder();
  try {
    task.checkColumns(columns);
    for await (const { firstRow, rows: chunk } of datasets.rows(id)) {
      for (const [at, row] of chunk.slice(0, rows - firstRow).entries()) {
        for (const label of labelsOf(task, row, firstRow + at + 1)) {
          if (labels.size < MAX_LABELS && !labels.has(label)) labels.set(label, firstRow + at + 1);
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

function labelsOf(task: EvaluatedTask, row: RowCells, number: number): readonly string[] {
  try {
    return task.labelsOf(row);
  } catch (error) {
    throw inputError(`Row ${number} of the dataset: ${messageOf(error)}`, error);
  }
}

/** Adds the dataset as the location of an InputError. */
export function aboutDataset({ code, message, reason }: AppError): AppError {
  if (code !== 'InputError') return new AppError(code, message, { reason });
  return new AppError('InputError', message, { details: [{ location: 'body.dataset', message }], reason });
}

export const noDataset = (id: string): AppError =>
  aboutDataset(inputError(`Dataset with ID ${id} not found`));
