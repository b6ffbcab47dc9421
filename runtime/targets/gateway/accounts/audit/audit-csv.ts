import { rfc3339 } from '#core/time/rfc3339.ts';
import { csvLine } from '../../shared/csv-line.ts';
import type { AuditRow } from '../../store/record-schema.ts';

const COLUMNS = [
  'id',
  'at',
  'actor',
  'actor_id',
  'actor_user',
  'address',
  'forwarded_for',
  'request_id',
  'action',
  'object',
  'outcome',
  'reason',
  'before',
  'after',
  'count',
] as const satisfies readonly (keyof AuditRow)[];

export const auditCsvHeader = (): string => csvLine(COLUMNS);

/** An event as a CSV line, with the time in RFC 3339 and the states as JSON. */
export const auditCsvLine = (row: AuditRow): string =>
  csvLine(COLUMNS.map((column) => (column === 'at' ? rfc3339(row.at) : row[column])));
