import type { Datasets } from '../datasets/api.ts';
import { inputError, messageOf } from '../../../contract/errors.ts';
import type { Task } from '../work/tasks/api.ts';

/** Beyond, they are no labels: what is said of so many is said by the evaluation. */
const MOST_LABELS = 1000;

/** All labels of the ground truth, each with the first row that has it, counted from 1. Throws an InputError for a row without. */
export async function groundTruthLabels(
  datasets: Datasets,
  datasetId: string,
  { task, rows }: { readonly task: Task; readonly rows: number },
): Promise<ReadonlyMap<string, number>> {
  const labels = new Map<string, number>();
  for await (const { firstRow, rows: chunk } of datasets.rows(datasetId)) {
    for (const [at, row] of chunk.slice(0, rows - firstRow).entries()) {
      const number = firstRow + at + 1;
      try {
        for (const label of task.labelsOf(row)) if (!labels.has(label)) labels.set(label, number);
      } catch (error) {
        throw inputError(`Row ${number} of the dataset: ${messageOf(error)}`, error);
      }
    }
    if (firstRow + chunk.length >= rows || labels.size > MOST_LABELS) break;
  }
  return labels;
}
