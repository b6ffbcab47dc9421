import type { Row } from '../../datasets/dataset.ts';
import { EXAMPLES } from '../../datasets/check-row.ts';
import { readText } from '../read-text.ts';

/** The input of a model. Uploaded datasets are checked for it. */
export const textOfRow = (row: Row): string => readText(row[EXAMPLES]);
