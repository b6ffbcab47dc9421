import { isObject } from '#core/json/is-object.ts';
import { type ShapeOfParams, refuseMember } from '../shapes/shape.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Maximum number of pages to request. */
const MAX_PAGES = 1000;
/** Number of items after which no further page is requested. */
const MAX_ITEMS = 20_000;

type FetchPage = (cursor: string | undefined) => Promise<ShapeOfParams>;

/** Returns the objects of all pages of a list. */
export async function listAllPages(key: string, fetchPage: FetchPage): Promise<ShapeOfParams[]> {
  return (await allItems(key, fetchPage)).filter(isObject);
}

/** Returns the items of all pages of a list. */
export const allItems = async (key: string, fetchPage: FetchPage): Promise<readonly unknown[]> =>
  (await itemsFrom(undefined, key, fetchPage)).items;

export interface ItemsFrom {
  readonly items: readonly unknown[];
  /** The cursor where the list continues, if it exceeds the maximum. */
  readonly nextCursor: string | undefined;
}

/** Returns the items from a page on. A repeated cursor ends the list, because otherwise pagination would never end. */
export async function itemsFrom(
  start: string | undefined,
  key: string,
  fetchPage: FetchPage,
): Promise<ItemsFrom> {
  const items: unknown[] = [];
  const cursors = new Set<string>(start === undefined ? [] : [start]);
  let cursor = start;
  for (let pages = 0; pages < MAX_PAGES && items.length < MAX_ITEMS; pages += 1) {
    const page = await fetchPage(cursor);
    pushAll(items, itemsOf(page, key));
    cursor = nextCursorOf(page);
    if (cursor === undefined || cursors.has(cursor)) return { items, nextCursor: undefined };
    cursors.add(cursor);
  }
  return { items, nextCursor: cursor };
}

export function itemsOf(page: ShapeOfParams, key: string): readonly unknown[] {
  const items = page[key];
  return Array.isArray(items) ? items : refuseMember(key, items, 'a list');
}

export function nextCursorOf({ nextCursor }: ShapeOfParams): string | undefined {
  return typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined;
}
