import { AppError, inputError, messageOf } from '#contract/errors.ts';
import { createYielder } from '#platform/run-yielding.ts';
import type { Dataset, Datasets, RowCells } from '../datasets/dataset.ts';
import { checkInputs, type EvaluatedTask } from '../work/tasks/task.ts';

/**
 * Maximum number of labels returned. More distinct values are not a label set; the evaluation then reports
 * the problem.
 */
const MAX_LABELS = 1000;

/** An inference sends the inputs in a dataset to a model; an evaluation compares answers with the ground truths. */
type Use = 'inference' | 'evaluation';

interface CheckOptions {
  readonly task: EvaluatedTask;
  readonly rows: number;
  /** What the dataset is used for. Default: both. */
  readonly uses?: readonly Use[];
}

/**
 * The ground truth labels, each with the first row that has it (1-based). Throws an InputError for a dataset
 * that does not fit the task. All rows are checked; otherwise, a problem in the last row would only surface
 * during a job.
 */
export async function checkRows(
  datasets: Pick<Datasets, 'rows'>,
  { id, columns }: Pick<Dataset, 'id' | 'columns'>,
  { task, rows, uses = ['inference', 'evaluation'] }: CheckOptions,
): Promise<ReadonlyMap<string, number>> {
  const labels = new Map<string, number>();
  const yieldToOthers = createYielder();
  try {
    if (uses.includes('evaluation')) task.checkColumns(columns);
    for await (const { firstRow, rows: chunk } of datasets.rows(id)) {
      for (const [at, row] of chunk.slice(0, rows - firstRow).entries()) {
        for (const label of labelsOf(task, row, { number: firstRow + at + 1, uses })) {
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

interface RowPlace {
  readonly number: number;
  readonly uses: readonly Use[];
}

function labelsOf(task: EvaluatedTask, row: RowCells, { number, uses }: RowPlace): readonly string[] {
  try {
    if (uses.includes('inference')) {
      checkInputs(task, row);
      task.checkInput?.(row);
    }
    return uses.includes('evaluation') ? task.labelsOf(row) : [];
  } catch (error) {
    throw inputError(`Row ${number} of the dataset: ${messageOf(error)}`, error);
  }
}

/** Adds the dataset as an InputError's location. */
export function aboutDataset({ code, message, reason }: AppError): AppError {
  if (code !== 'InputError') return new AppError(code, message, { reason });
  return new AppError('InputError', message, { details: [{ location: 'body.dataset', message }], reason });
}

export const noDataset = (id: string): AppError =>
  aboutDataset(inputError(`Dataset with ID ${id} not found`));
