import type { DatasetCell, RowCells } from '../dataset.ts';

/** Type of a column in a Parquet file. Values of mixed types, and objects, are texts with JSON. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'texts' | 'json';

/** Finds the narrowest type of each column while rows are added. */
export function createColumnTypes(columns: readonly string[]): {
  readonly add: (row: RowCells) => void;
  readonly types: () => readonly ColumnType[];
} {
  const found = columns.map((): ColumnType | undefined => undefined);
  return {
    add(row) {
      columns.forEach((name, at) => {
        const type = typeOf(row[name] ?? null);
        if (type !== undefined) found[at] = joined(found[at], type);
      });
    },
    types: () => found.map((type) => type ?? 'text'),
  };
}

function typeOf(cell: DatasetCell): ColumnType | undefined {
  if (cell === null) return undefined;
  if (typeof cell === 'string') return 'text';
  if (typeof cell === 'boolean') return 'boolean';
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? 'integer' : 'number';
  return Array.isArray(cell) && cell.every((one) => typeof one === 'string' || one === null)
    ? 'texts'
    : 'json';
}

function joined(one: ColumnType | undefined, other: ColumnType): ColumnType {
  if (one === undefined || one === other) return other;
  const isNumber = (type: ColumnType): boolean => type === 'integer' || type === 'number';
  return isNumber(one) && isNumber(other) ? 'number' : 'json';
}
