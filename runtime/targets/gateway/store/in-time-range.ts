import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Times in milliseconds since 1970. */
interface TimeRange {
  readonly from?: number | undefined;
  /** The end of the range (exclusive). */
  readonly to?: number | undefined;
}

/** SQL condition that a column's time is within a range; true without limits. */
export function inTimeRange(column: string, { from, to }: TimeRange): RawBuilder<SqlBool> {
  const time = sql.ref(column);
  if (from === undefined) return to === undefined ? sql`1 = 1` : sql`${time} < ${to}`;
  return to === undefined ? sql`${time} >= ${from}` : sql`${time} >= ${from} and ${time} < ${to}`;
}
