import { isObject } from '../../../core/json/is-object.ts';
import { type Params, refuseMember } from '../shapes/shape.ts';

/** Maximum number of pages that are requested; the rest of the list is ignored. */
const MAX_PAGES = 1000;
/** Number of items after which no further page is requested. */
const MAX_ITEMS = 20_000;

type FetchPage = (cursor: string | undefined) => Promise<Params>;

/** Returns the objects on all pages of a list. */
export async function listAllPages(key: string, fetchPage: FetchPage): Promise<Params[]> {
  return (await allItems(key, fetchPage)).filter(isObject);
}

/** Returns the items on all pages of a list. A repeated cursor ends the list, because the pages would never end. */
export async function allItems(key: string, fetchPage: FetchPage): Promise<unknown[]> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    items.push(...itemsOf(page, key));
    cursor = nextCursorOf(page);
    if (cursor === undefined || cursors.has(cursor)) break;
    cursors.add(cursor);
  } while (cursors.size < MAX_PAGES && items.length < MAX_ITEMS);
  return items;
}

export function itemsOf(page: Params, key: string): readonly unknown[] {
  const items = page[key];
  return Array.isArray(items) ? items : refuseMember(key, items, 'a list');
}

export function nextCursorOf({ nextCursor }: Params): string | undefined {
  return typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined;
}
