import { type Expression, sql, type SqlBool } from 'kysely';
import { entriesOf } from '#core/values/keys.ts';
import { isStorable } from './storable-text.ts';

/** SQL condition that columns have these values; undefined ones are not compared. */
export function equalValues<Row>(
  values: Partial<Record<keyof Row & string, string | undefined>>,
): Expression<SqlBool> {
  const conditions = entriesOf(values).flatMap(([column, value]) => {
    if (value === undefined) return [];
    // A value that cannot be stored matches no row.
    return [isStorable(value) ? sql<SqlBool>`${sql.ref(column)} = ${value}` : sql<SqlBool>`1 = 0`];
  });
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}
