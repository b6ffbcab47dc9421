import { csvLine } from '../../shared/csv-line.ts';
import { dollarText, type Nanos } from '../../shared/money.ts';
import { rfc3339 } from '../../../../core/time/rfc3339.ts';
import { USAGE_COLUMNS } from '../../store/columns.ts';
import type { UsageRow } from '../../store/schema.ts';

/** Columns of the export. Users can read it, so details of provider failures, which are for administrators only, are left out. */
const COLUMNS = (Object.keys(USAGE_COLUMNS) as (keyof UsageRow)[]).filter((name) => name !== 'error_detail');

/** Names of the API that differ from those of the database. */
const NAMES: Readonly<Partial<Record<keyof UsageRow, string>>> = {
  cost_nano: 'cost',
  estimated: 'usage_estimated',
};

export const usageCsvHeader = (): string => csvLine(COLUMNS.map((column) => NAMES[column] ?? column));

/** A row as a CSV line, with amounts in dollars and times in RFC 3339, like in the API. */
export const usageCsvLine = (row: UsageRow): string =>
  csvLine(COLUMNS.map((column) => textOf(column, row[column])));

function textOf(column: keyof UsageRow, value: UsageRow[keyof UsageRow]): string {
  if (value === null) return '';
  if (column === 'cost_nano') return dollarText(value as Nanos);
  if (column === 'timestamp') return rfc3339(value as number);
  if (column === 'estimated') return value === 1 ? 'true' : 'false';
  return String(value);
}
