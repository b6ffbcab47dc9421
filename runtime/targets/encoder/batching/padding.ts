import type { TokenizedText } from '../../../core/model/tokenized-text.ts';

/** Token ids of a batch as a rectangle, row by row, padded on the right; `lengths` are the actual lengths. */
export interface TokenBatch {
  readonly ids: Int32Array;
  /** Token type ids; undefined if all are 0. */
  readonly typeIds?: Int32Array | undefined;
  readonly lengths: Int32Array;
  readonly columns: number;
}

/** Pads on the right whatever the tokenizer's setting: the mask hides padding, and positions stay those of the text alone. */
export function padBatch(rows: readonly Pick<TokenizedText, 'ids' | 'typeIds'>[], padId: number): TokenBatch {
  const lengths = Int32Array.from(rows, ({ ids }) => ids.length);
  const columns = lengths.reduce((longest, length) => Math.max(longest, length), 0);
  const ids = new Int32Array(rows.length * columns).fill(padId);
  const typeIds = rows.some((row) => row.typeIds) ? new Int32Array(ids.length) : undefined;
  for (const [index, row] of rows.entries()) {
    ids.set(row.ids, index * columns);
    if (row.typeIds) typeIds?.set(row.typeIds, index * columns);
  }
  return { ids, typeIds, lengths, columns };
}
