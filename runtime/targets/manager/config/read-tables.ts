import { describeValue, isTable, readTable, type TableReader } from './table-reader.ts';

interface TableList {
  readonly value: unknown;
  readonly report: TableReader['report'];
  /** The key of the list. */
  readonly key: string;
  readonly known: readonly string[];
}

/** Reads a list of tables inside a table. Reports a value of another type. */
export function readTables({ value, report, key, known }: TableList): TableReader[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(`${key} must be a list of tables, not ${describeValue(value)}.`, key);
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const label = `${key} ${index + 1}`;
    if (isTable(item)) {
      const reportItem = (_path: unknown, message: string): void => report(message, key);
      return [readTable(item, { path: [], label, report: reportItem }, known)];
    }
    report(`${label} must be a table, not ${describeValue(item)}.`, key);
    return [];
  });
}
