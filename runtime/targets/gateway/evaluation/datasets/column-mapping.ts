/** Names of columns in the file by the names that they get, e.g. `examples: text`. */
export type ColumnMapping = Readonly<Record<string, string>>;
