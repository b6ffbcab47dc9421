import { inputError } from '#contract/errors.ts';
import type { DatasetCell, RowCells } from '../../datasets/dataset.ts';
import { GROUND_TRUTH, isEmptyCell } from '../../datasets/check-row.ts';

export function checkHasGroundTruth(columns: readonly string[]): void {
  if (columns.includes(GROUND_TRUTH)) return;
  throw inputError(`The dataset has no column \`${GROUND_TRUTH}\` to compare the answers with.`);
}

export function checkGroundTruth({ [GROUND_TRUTH]: truth }: RowCells): void {
  if (isMissing(truth)) throw inputError(`\`${GROUND_TRUTH}\` is missing.`);
}

/** Whether a cell has no ground truth. An empty list is one: it means that there is nothing to find. */
export const isMissing = (cell: DatasetCell | undefined): boolean =>
  isEmptyCell(cell) && !Array.isArray(cell);
