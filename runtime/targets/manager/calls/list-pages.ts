import { isObject } from '#core/json/is-object.ts';
import { type Params, refuseMember } from '../shapes/shape.ts';
import { pushAll } from '#core/values/push-all.ts';
import { inputError } from '#contract/errors.ts';
import type { Page, PageCall } from './call.ts';
import { isInvalidParams, isMethodNotFound, notImplemented, type CallContext, pluralOf } from './run-call.ts';
import { canList } from './tool-catalog.ts';
import { LISTS } from './server-lists.ts';
import type { CheckList, ListName } from '../shapes/check-list.ts';

/** Maximum number of pages that are requested. */
const MAX_PAGES = 1000;
/** Number of items after which no further page is requested. */
const MAX_ITEMS = 20_000;

type FetchPage = (cursor: string | undefined) => Promise<Params>;

/** Returns the objects on all pages of a list. */
export async function listAllPages(key: string, fetchPage: FetchPage): Promise<Params[]> {
  return (await allItems(key, fetchPage)).filter(isObject);
}

/** Returns the items on all pages of a list. */
export const allItems = async (key: string, fetchPage: FetchPage): Promise<readonly unknown[]> =>
  (await itemsFrom(undefined, key, fetchPage)).items;

export interface ItemsFrom {
  readonly items: readonly unknown[];
  /** Where the list continues, if it is longer than the maximum. */
  readonly nextCursor: string | undefined;
}

/** Returns the items from a page on. A repeated cursor ends the list, because the pages would never end. */
async function itemsFrom(start: string | undefined, key: string, fetchPage: FetchPage): Promise<ItemsFrom> {
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

function itemsOf(page: Params, key: string): readonly unknown[] {
  const items = page[key];
  return Array.isArray(items) ? items : refuseMember(key, items, 'a list');
}

function nextCursorOf({ nextCursor }: Params): string | undefined {
  return typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined;
}

/**
 * Returns a page of the server, or the list from it on, with repaired items, without items that are malformed or not allowed
 * for the caller.
 */
export async function listPage(
  context: CallContext,
  list: Exclude<ListName, 'tools'>,
  { cursor, wholeList, caller }: PageCall,
  checkList: CheckList,
): Promise<Page> {
  const { server } = context;
  const { capability, method } = LISTS[list];
  await requireCapability(context, capability, pluralOf(list));
  try {
    const fetchPage = (at: string | undefined): Promise<Params> =>
      context.request(method, at ? { cursor: at } : undefined);
    const found = wholeList
      ? await itemsFrom(cursor, list, fetchPage)
      : onePage(await fetchPage(cursor), list);
    const { items, faults } = await checkList(list, found.items);
    server.listFaults.report(list, faults, { isFirstPage: !cursor });
    const allowed = items.filter((item) => canList(caller, server.spec(), list, item));
    return { items: allowed, nextCursor: found.nextCursor };
  } catch (error) {
    if (isMethodNotFound(error)) throw notImplemented(pluralOf(list), server.name);
    if (cursor && isInvalidParams(error)) {
      throw inputError(
        `Invalid cursor \`${cursor}\` for server ${server.name}. Use \`nextCursor\` of the previous page.`,
        error,
      );
    }
    throw error;
  }
}

const onePage = (page: Params, list: ListName): ItemsFrom => ({
  items: itemsOf(page, list),
  nextCursor: nextCursorOf(page),
});

/** Rejects requests for capabilities that the server did not declare. `what` is their noun in the error. */
export async function requireCapability(
  { connection, server }: CallContext,
  capability: string,
  what: string = capability,
): Promise<void> {
  const { peer } = await connection();
  if (!(capability in peer.capabilities)) throw notImplemented(what, server.name);
}
