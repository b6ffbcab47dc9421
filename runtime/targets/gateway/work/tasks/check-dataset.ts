import { inputError, messageOf } from '../../../../contract/errors.ts';
import type { Cell, Row } from '../../datasets/api.ts';
import { GROUND_TRUTH, isBlank } from '../../datasets/check-row.ts';
import type { DatasetFacts } from './api.ts';

/** Every row has a ground truth that `check` takes. */
export function checkGroundTruth({ columns, firstRows }: DatasetFacts, check: (row: Row) => void): void {
  if (!columns.includes(GROUND_TRUTH)) {
    throw inputError(`The dataset has no column \`${GROUND_TRUTH}\` to compare the answers with.`);
  }
  for (const [at, row] of firstRows.entries()) {
    if (isMissing(row[GROUND_TRUTH])) throw inputError(`Row ${at + 1} has no \`${GROUND_TRUTH}\`.`);
    inRow(at, () => check(row));
  }
}

export function inRow(at: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw inputError(`Row ${at + 1}: ${messageOf(error)}`, error);
  }
}

/** An empty list is a ground truth: nothing is there to be found. */
export const isMissing = (cell: Cell | undefined): boolean => isBlank(cell) && !Array.isArray(cell);
