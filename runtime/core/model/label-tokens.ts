import { inputError } from '#contract/errors.ts';
import type { LabelTokens, TokenizedText } from './tokenized-text.ts';

/**
 * Maximum number of tokens of all labels, padding included: each run reads them, and attention needs memory
 * for each pair of a label's tokens.
 */
const MAX_LABEL_TOKENS = 4096;

/** Joins the tokens of labels to the input of a second encoder. */
export function joinLabels(rows: readonly Pick<TokenizedText, 'ids'>[], padId: number): LabelTokens {
  const lengths = Int32Array.from(rows, ({ ids }) => ids.length);
  const columns = lengths.reduce((longest, length) => Math.max(longest, length), 0);
  const size = rows.length * columns;
  if (size > MAX_LABEL_TOKENS) {
    throw inputError(
      `labels have ${size} tokens when padded to the longest label, but the maximum is ${MAX_LABEL_TOKENS}. Send fewer or shorter labels.`,
    );
  }
  const ids = new Int32Array(size).fill(padId);
  for (const [row, { ids: own }] of rows.entries()) ids.set(own, row * columns);
  return { ids, lengths, columns };
}
