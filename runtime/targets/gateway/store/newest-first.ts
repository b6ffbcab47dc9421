import { type SelectQueryBuilder, sql } from 'kysely';
import type { Page } from './page.ts';

/** A part of what a query finds, the newest first, and how many rows it finds in all. */
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
