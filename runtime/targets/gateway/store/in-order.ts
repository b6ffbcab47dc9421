import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Order } from '../shared/order.ts';

/**
 * Sorts rows. Rows without a value come last in both directions, which would otherwise depend on the
 * database. Rows with equal values are sorted by ID, so that pages do not overlap.
 */
export function inOrder<Tables, Named extends keyof Tables, Row, Name extends string>(
  query: SelectQueryBuilder<Tables, Named, Row>,
  { by, isDescending }: Order<Name>,
  { values, id }: { readonly values: Readonly<Record<Name, RawBuilder<unknown>>>; readonly id: string },
): SelectQueryBuilder<Tables, Named, Row> {
  return query
    .orderBy(sql`${values[by]} is null`)
    .orderBy(values[by], isDescending ? 'desc' : 'asc')
    .orderBy(sql.ref(id));
}

/** A text column, sorted case-insensitively. */
export const textOrder = (column: string): RawBuilder<unknown> => sql`lower(${sql.ref(column)})`;
