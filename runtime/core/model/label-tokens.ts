import { inputError } from '#contract/errors.ts';
import { type PaddedRows, paddedSize, padRows } from './pad-rows.ts';
import type { TokenizedText } from './tokenized-text.ts';

/**
 * Maximum number of tokens of all labels, padding included: each run reads them, and attention needs memory
 * for each pair of a label's tokens.
 */
const MAX_LABEL_TOKENS = 4096;

/** Joins the tokens of labels to the input of a second encoder. */
export function joinLabels(rows: readonly Pick<TokenizedText, 'ids'>[], padId: number): PaddedRows {
  const size = rows.length * paddedSize(rows).columns;
  if (size === 0) throw inputError('labels have no tokens for this model. Send labels with letters.');
  if (size <= MAX_LABEL_TOKENS) return padRows(rows, padId);
  throw inputError(
    `labels have ${size} tokens when padded to the longest label, but the maximum is ${MAX_LABEL_TOKENS}. Send fewer or shorter labels.`,
  );
}
