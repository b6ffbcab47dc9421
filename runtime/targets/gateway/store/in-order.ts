import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Order } from '../shared/order.ts';

/**
 * Sorts rows. Those without a value are last in both directions, in which databases differ by default. Rows with equal values have
 * the order of their ids, so that pages do not overlap.
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

/** A text column in an order that ignores case. */
export const textOrder = (column: string): RawBuilder<unknown> => sql`lower(${sql.ref(column)})`;
