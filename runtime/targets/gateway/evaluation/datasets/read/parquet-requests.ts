/** Requests to the thread that reads a Parquet file. */
export type ParquetRequest =
  | { readonly kind: 'open'; readonly path: string; readonly hasLabelNames: boolean }
  /** Returns the next rows; no rows at the end. */
  | { readonly kind: 'rows' };
