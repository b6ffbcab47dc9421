import type { ListPage } from './page.ts';
import { pushAll } from '#core/values/push-all.ts';

const PAGE_SIZE = 1000;

/** Returns all items of a paginated list, or those selected by a query. */
export async function listAll<Item, Query = undefined>(
  source: { list(page: ListPage, query?: Query): Promise<readonly Item[]> },
  query?: Query,
): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const page = await source.list({ skip: all.length, limit: PAGE_SIZE }, query);
    pushAll(all, page);
    if (page.length < PAGE_SIZE) return all;
  }
}
