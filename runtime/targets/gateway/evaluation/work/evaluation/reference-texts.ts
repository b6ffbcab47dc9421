import { inputError } from '#contract/errors.ts';
import type { DatasetCell } from '../../datasets/dataset.ts';
import { cellText } from '../read-text.ts';

/** Maximum number of references of a row. */
const MAX_REFERENCES = 100;

/** The references of a row: the texts of a list, or the only one. A CSV cell is always one text. */
export const referenceTexts = (truth: DatasetCell): readonly string[] =>
  Array.isArray(truth) ? truth.map(cellText) : [cellText(truth)];

/** Throws an InputError for a ground truth that is neither a text nor a list of texts. */
export function checkReferences(truth: DatasetCell | undefined): void {
  if (!Array.isArray(truth)) {
    if (typeof truth === 'object') throw inputError('`ground_truth` must be a text or a list of texts.');
    return;
  }
  const isText = (one: DatasetCell): boolean => typeof one === 'string' && one.trim() !== '';
  if (truth.length === 0 || truth.length > MAX_REFERENCES || !truth.every(isText)) {
    throw inputError(
      `A list in \`ground_truth\` must have 1 to ${MAX_REFERENCES} texts, none of them empty.`,
    );
  }
}
