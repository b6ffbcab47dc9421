import { isObject } from '../../../core/json/is-object.ts';
import { type Params, refuseMember } from '../shapes/shape.ts';

/** More than any server should have; whoever gives more than this is cut off. */
const MOST_PAGES = 1000;
const MOST_ITEMS = 20_000;

type AskPage = (cursor: string | undefined) => Promise<Params>;

/** The objects on all pages of a list. */
export async function listAllPages(key: string, askPage: AskPage): Promise<Params[]> {
  return (await allItems(key, askPage)).filter(isObject);
}

/** All pages of a list, as far as the server gives it an end: a cursor that comes again is the last one followed. */
export async function allItems(key: string, askPage: AskPage): Promise<unknown[]> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await askPage(cursor);
    items.push(...itemsOf(page, key));
    cursor = nextCursorOf(page);
    if (cursor === undefined || cursors.has(cursor)) break;
    cursors.add(cursor);
  } while (cursors.size < MOST_PAGES && items.length < MOST_ITEMS);
  return items;
}

export function itemsOf(page: Params, key: string): readonly unknown[] {
  const items = page[key];
  return Array.isArray(items) ? items : refuseMember(key, items, 'a list');
}

export function nextCursorOf({ nextCursor }: Params): string | undefined {
  return typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined;
}
