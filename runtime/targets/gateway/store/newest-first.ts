import { type SelectQueryBuilder, sql } from 'kysely';
import type { ListPage } from './page.ts';

interface Order {
  /** Time column. */
  readonly time: string;
  /** Order of rows with the same time. */
  readonly ids: 'asc' | 'desc';
}

const OBJECTS: Order = { time: 'created_at', ids: 'asc' };
/** Event IDs increase with time. */
export const EVENTS: Order = { time: 'at', ids: 'desc' };

/** Returns a page of a query's rows, newest first, and the total row count. */
export async function newestFirst<Tables, Named extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Named, Row>,
  { skip, limit }: ListPage,
  { time, ids }: Order = OBJECTS,
): Promise<{ readonly total: number; readonly rows: readonly Row[] }> {
  const count = query.clearSelect().select(sql<number>`count(*)`.as('total'));
  const { total } = (await count.executeTakeFirstOrThrow()) as { readonly total: number };
  const rows = await query
    .orderBy(sql.ref(time), 'desc')
    .orderBy(sql.ref('id'), ids)
    .limit(limit)
    .offset(skip)
    .execute();
  return { total, rows };
}
