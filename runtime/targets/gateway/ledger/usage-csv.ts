import { dollarText, type Nanos } from '../../../core/money.ts';
import { rfc3339 } from '../../../core/rfc3339.ts';
import { USAGE_COLUMNS } from '../store/columns.ts';
import type { UsageRow } from '../store/schema.ts';

const COLUMNS = Object.keys(USAGE_COLUMNS) as (keyof UsageRow)[];

export const csvHeader = (): string =>
  lineOf(COLUMNS.map((column) => (column === 'cost_nano' ? 'cost' : column)));

/** Money in dollars and times as RFC 3339, as in the API. */
export const csvLine = (row: UsageRow): string =>
  lineOf(COLUMNS.map((column) => textOf(column, row[column])));

function textOf(column: keyof UsageRow, value: UsageRow[keyof UsageRow]): string {
  if (value === null) return '';
  if (column === 'cost_nano') return dollarText(value as Nanos);
  if (column === 'timestamp') return rfc3339(value as number);
  if (column === 'estimated') return value === 1 ? 'true' : 'false';
  return String(value);
}

/** As RFC 4180 has it. */
const lineOf = (fields: readonly string[]): string =>
  `${fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\r\n`;
