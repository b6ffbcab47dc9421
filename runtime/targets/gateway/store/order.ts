import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

/** The order of a list. */
export interface Order<Name extends string = string> {
  readonly by: Name;
  readonly isDescending: boolean;
}

/** Words that name the orders of a list, with `-` for descending ones: `spend`, `-spend`. */
export const orderWords = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [name, `-${name}`]);

/** The order that a word names; undefined if no order has this name. */
export function orderOf<Name extends string>(
  word: string | undefined,
  names: readonly Name[],
): Order<Name> | undefined {
  const isDescending = word?.startsWith('-') ?? false;
  const by = names.find((name) => name === (isDescending ? word?.slice(1) : word));
  return by === undefined ? undefined : { by, isDescending };
}

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
