import { csvLine } from '../../shared/csv-line.ts';
import { dollarText } from '../../shared/money.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { tagsIn } from './tags-in.ts';
import { TABLES, type UsageRow } from '../../store/schema.ts';
import { keysOf } from '#core/values/keys.ts';

/** Columns of the export. Users can read it, so details of provider failures, which are for administrators only, are omitted. */
const COLUMNS = keysOf(TABLES.gateway_usage.columns).filter((name) => name !== 'error_detail');

/** Names of the API that differ from those of the database. */
const NAMES: Readonly<Partial<Record<keyof UsageRow, string>>> = {
  cost_nano: 'cost',
  estimated: 'usage_estimated',
};

export const usageCsvHeader = (): string => csvLine(COLUMNS.map((column) => NAMES[column] ?? column));

/** A row as a CSV line, with amounts in dollars and times in RFC 3339, like in the API. */
export const usageCsvLine = (row: UsageRow): string => csvLine(COLUMNS.map((column) => textOf(row, column)));

function textOf(row: UsageRow, column: keyof UsageRow): string {
  const value = row[column];
  if (value === null) return '';
  if (column === 'cost_nano') return row.cost_nano === null ? '' : dollarText(row.cost_nano);
  if (column === 'timestamp') return rfc3339(row.timestamp);
  if (column === 'tags') return tagsIn(row).join(',');
  if (column === 'estimated') return value === 1 ? 'true' : 'false';
  return String(value);
}
