import { AppError, inputError } from '#contract/errors.ts';
import type { DatasetCell, RowCells } from './dataset.ts';
import { imageData } from '../../shared/image-data.ts';
import { MAX_CELL_CHARACTERS, MAX_IMAGE_CHARACTERS } from './read/limits.ts';

/** The column with the model input. */
export const EXAMPLES = 'examples';
/** The column with the expected answers. */
export const GROUND_TRUTH = 'ground_truth';

/** Throws a ForbiddenError if the input column is missing, as the reference API does. */
export function checkRequiredColumns(columns: readonly string[]): void {
  if (columns.includes(EXAMPLES)) return;
  throw new AppError('ForbiddenError', `Dataset is missing required fields: ${EXAMPLES}`, {
    reason: 'dataset_fields_missing',
  });
}

/** Throws an InputError for a row that cannot be sent to a model. `number` is 1-based. */
export function checkRow(row: RowCells, number: number): void {
  for (const [column, cell] of Object.entries(row)) {
    const length =
      typeof cell === 'string' ? cell.length : typeof cell === 'object' ? JSON.stringify(cell).length : 0;
    if (length <= MAX_CELL_CHARACTERS) continue;
    const hasImages = [cell].flat().some((one) => imageData(one) !== undefined);
    if (hasImages && length <= MAX_IMAGE_CHARACTERS) continue;
    throw inputError(
      hasImages
        ? `Row ${number} has an image of ${length} characters in ${JSON.stringify(column)}; the maximum is ${MAX_IMAGE_CHARACTERS}. Reduce the size of the image.`
        : `Row ${number} has ${length} characters in ${JSON.stringify(column)}; the maximum is ${MAX_CELL_CHARACTERS}.`,
    );
  }
  const example = row[EXAMPLES];
  if (typeof example !== 'string') throw inputError(`Row ${number} has no text in \`${EXAMPLES}\`.`);
  if (isEmptyCell(example))
    throw inputError(`Row ${number} has an empty text in \`${EXAMPLES}\`. Remove the row.`);
}

export const isEmptyCell = (cell: DatasetCell | undefined): boolean =>
  cell === undefined ||
  cell === null ||
  (typeof cell === 'string' && cell.trim() === '') ||
  (Array.isArray(cell) && cell.length === 0);
