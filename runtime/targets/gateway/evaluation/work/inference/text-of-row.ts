import type { RowCells } from '../../datasets/dataset.ts';
import { EXAMPLES } from '../../datasets/check-row.ts';
import { cellText } from '../read-text.ts';

/** The input of a model. Uploaded datasets are checked for it. */
export const textOfRow = (row: RowCells): string => cellText(row[EXAMPLES]);
