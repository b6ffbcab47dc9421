export interface ReadRowsOptions {
  /** Name of the column with the texts, by which the separator of a CSV file is found. */
  readonly textColumn?: string | undefined;
  /** Whether labels that are numbers get the names that a Parquet file lists for them. */
  readonly hasLabelNames?: boolean | undefined;
}
