import type { Row } from '../../datasets/dataset.ts';
import { EXAMPLES } from '../../datasets/check-row.ts';
import { readText } from '../read-text.ts';

/** What a model is asked about; datasets have been checked for it. */
export const textOfRow = (row: Row): string => readText(row[EXAMPLES]);
