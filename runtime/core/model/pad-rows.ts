/** Token ids, row by row, padded on the right to the same width. */
export interface PaddedRows {
  readonly ids: Int32Array;
  /** Number of tokens of each row, without padding. */
  readonly lengths: Int32Array;
  readonly columns: number;
}

/** The size of rows of tokens, padded to the longest one. */
export function paddedSize(rows: readonly { readonly ids: Int32Array }[]): Omit<PaddedRows, 'ids'> {
  const lengths = Int32Array.from(rows, ({ ids }) => ids.length);
  return { lengths, columns: lengths.reduce((longest, length) => Math.max(longest, length), 0) };
}

export function padRows(rows: readonly { readonly ids: Int32Array }[], padId: number): PaddedRows {
  const { lengths, columns } = paddedSize(rows);
  const ids = new Int32Array(rows.length * columns).fill(padId);
  for (const [row, { ids: own }] of rows.entries()) ids.set(own, row * columns);
  return { ids, lengths, columns };
}
