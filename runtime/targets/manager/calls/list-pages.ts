import { isObject } from '../../../core/is-object.ts';
import type { Params } from '../upstream/connection.ts';

/** More than any server should have; whoever gives more than this is cut off. */
const MOST_PAGES = 1000;
const MOST_ITEMS = 20_000;

/** All pages of a list, as far as the server gives it an end: a cursor that comes again is the last one followed. */
export async function listAllPages(
  key: string,
  askPage: (cursor: string | undefined) => Promise<Params>,
): Promise<Params[]> {
  const items: Params[] = [];
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

export function itemsOf(page: Params, key: string): readonly Params[] {
  const items = page[key];
  if (!Array.isArray(items)) throw new Error(`the server answered without a list of \`${key}\``);
  return items.filter(isObject);
}

export function nextCursorOf({ nextCursor }: Params): string | undefined {
  return typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined;
}
