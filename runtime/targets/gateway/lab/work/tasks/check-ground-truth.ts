import { inputError } from '../../../../../contract/errors.ts';
import type { Cell, Row } from '../../datasets/dataset.ts';
import { GROUND_TRUTH, isBlank } from '../../datasets/check-row.ts';

export function checkHasGroundTruth(columns: readonly string[]): void {
  if (columns.includes(GROUND_TRUTH)) return;
  throw inputError(`The dataset has no column \`${GROUND_TRUTH}\` to compare the answers with.`);
}

export function checkGroundTruth({ [GROUND_TRUTH]: truth }: Row): void {
  if (isMissing(truth)) throw inputError(`It has no \`${GROUND_TRUTH}\`.`);
}

/** An empty list is a ground truth: nothing is there to be found. */
export const isMissing = (cell: Cell | undefined): boolean => isBlank(cell) && !Array.isArray(cell);
