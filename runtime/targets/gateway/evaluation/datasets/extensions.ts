/** Dataset file extensions by content type, for files without a name. */
export const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['text/csv', '.csv'],
  ['text/tab-separated-values', '.tsv'],
  ['application/jsonl', '.jsonl'],
  ['application/x-ndjson', '.jsonl'],
  ['application/vnd.apache.parquet', '.parquet'],
]);
