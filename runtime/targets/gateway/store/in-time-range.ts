import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Times in milliseconds since 1970. */
interface TimeRange {
  readonly from?: number | undefined;
  /** The end, which is not part of the range. */
  readonly to?: number | undefined;
}

/** The condition that a column has a time of a range; true without limits. */
export function inTimeRange(column: string, { from, to }: TimeRange): RawBuilder<SqlBool> {
  const time = sql.ref(column);
  if (from === undefined) return to === undefined ? sql`1 = 1` : sql`${time} < ${to}`;
  return to === undefined ? sql`${time} >= ${from}` : sql`${time} >= ${from} and ${time} < ${to}`;
}
