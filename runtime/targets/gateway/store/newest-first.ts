import { type SelectQueryBuilder, sql } from 'kysely';
import type { Page } from './page.ts';

/** Returns one page of a query's rows, newest first, and the total number of rows. */
export async function newestFirst<Tables, Named extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Named, Row>,
  { skip, limit }: Page,
): Promise<{ readonly total: number; readonly rows: readonly Row[] }> {
  const count = query.clearSelect().select(sql<number>`count(*)`.as('total'));
  const { total } = (await count.executeTakeFirstOrThrow()) as { readonly total: number };
  const rows = await query
    .orderBy(sql.ref('created_at'), 'desc')
    .orderBy(sql.ref('id'))
    .limit(limit)
    .offset(skip)
    .execute();
  return { total, rows };
}
