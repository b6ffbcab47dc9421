export interface ReadRowsOptions {
  /** Name of the text column, used to detect a CSV file's separator. */
  readonly textColumn?: string | undefined;
  /** Whether numeric labels are replaced by the names that a Parquet file lists for them. */
  readonly hasLabelNames?: boolean | undefined;
}
