/** Token ids of a batch as one rectangle, row after row, padded on the right; `lengths` are the real lengths. */
export interface TokenBatch {
  readonly ids: Int32Array;
  readonly lengths: Int32Array;
  readonly columns: number;
}

/** Padding stands on the right whatever the tokenizer says: the mask hides it, and positions stay those of the text alone. */
export function padBatch(rows: readonly (readonly number[])[], padId: number): TokenBatch {
  const lengths = Int32Array.from(rows, (row) => row.length);
  const columns = lengths.reduce((longest, length) => Math.max(longest, length), 0);
  const ids = new Int32Array(rows.length * columns).fill(padId);
  for (const [index, row] of rows.entries()) ids.set(row, index * columns);
  return { ids, lengths, columns };
}
