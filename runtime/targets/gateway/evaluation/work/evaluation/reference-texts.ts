import { inputError } from '#contract/errors.ts';
import type { Cell } from '../../datasets/dataset.ts';
import { readText } from '../read-text.ts';

/** Maximum number of references of a row. */
const MAX_REFERENCES = 100;

/** The references of a row: the texts of a list, or the only one. A CSV cell is always one text. */
export const referenceTexts = (truth: Cell): readonly string[] =>
  Array.isArray(truth) ? truth.map(readText) : [readText(truth)];

/** Throws an InputError for a ground truth that is neither a text nor a list of texts. */
export function checkReferences(truth: Cell | undefined): void {
  if (!Array.isArray(truth)) {
    if (typeof truth === 'object') throw inputError('`ground_truth` must be a text or a list of texts.');
    return;
  }
  const isText = (one: Cell): boolean => typeof one === 'string' && one.trim() !== '';
  if (truth.length === 0 || truth.length > MAX_REFERENCES || !truth.every(isText)) {
    throw inputError(
      `A list in \`ground_truth\` must have 1 to ${MAX_REFERENCES} texts, none of them empty.`,
    );
  }
}
