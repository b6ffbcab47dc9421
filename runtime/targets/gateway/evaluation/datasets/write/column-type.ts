import type { DatasetCell, RowCells } from '../dataset.ts';

/** A Parquet column's type. Objects and values of mixed types are stored as JSON text. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'texts' | 'json';

/** Determines each column's narrowest type while rows are added. */
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
