import { inputError } from '#contract/errors.ts';
import type { Page, PageCall, ServerCall } from './call.ts';
import type { ListReader } from './cached-list.ts';
import { isInvalidParams, isMethodNotFound, notImplemented, type CallContext } from './run-call.ts';
import { pluralOf } from './run-call.ts';
import { type ItemsFrom, itemsFrom, itemsOf, nextCursorOf } from './list-pages.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { canList } from './tool-catalog.ts';
import { LISTS } from './request-list.ts';
import type { CheckList } from '../shapes/check-list.ts';
import type { ListName } from '../shared/list-items.ts';
import type { ServerLists } from './server-lists.ts';
import { isAsleep } from './sleeping-lists.ts';

export interface ListPageParts {
  readonly checkList: CheckList;
  readonly lists: ServerLists;
}

/**
 * Returns one page of the server's list, or all items from that page on. Items are repaired; malformed items,
 * and items that the caller is not allowed to use, are omitted.
 */
export async function listPage(
  context: CallContext,
  list: Exclude<ListName, 'tools'>,
  call: PageCall,
  { checkList, lists }: ListPageParts,
): Promise<Page> {
  const { server } = context;
  const { cursor, wholeList, caller } = call;
  const { capability, method } = LISTS[list];
  if (isAsleep(server)) return await lastPage(context, list, call, lists);
  await requireCapability(context, capability, pluralOf(list));
  try {
    const fetchPage = (at: string | undefined): Promise<ShapeOfParams> =>
      context.request(method, at ? { cursor: at } : undefined);
    const found = wholeList
      ? await itemsFrom(cursor, list, fetchPage)
      : onePage(await fetchPage(cursor), list);
    const { items, faults } = await checkList(list, found.items);
    server.listFaults.report(list, faults, { isFirstPage: !cursor });
    const isWhole = !cursor && found.nextCursor === undefined;
    const visible = await lists.visible(server, list, items, { isWhole });
    const allowed = visible.filter((item) => canList(caller, server.spec(), list, item));
    return { items: allowed, nextCursor: found.nextCursor };
  } catch (error) {
    if (isMethodNotFound(error)) throw notImplemented(pluralOf(list), server.name);
    if (cursor && isInvalidParams(error)) {
      throw inputError(
        `Invalid cursor \`${cursor}\` for server ${server.name}. Use the \`nextCursor\` of the previous page.`,
        error,
      );
    }
    throw error;
  }
}

/** Returns the list from the last session of a server that is asleep, as one page. */
async function lastPage(
  { server, timeLeft }: CallContext,
  list: Exclude<ListName, 'tools'>,
  { cursor, caller, signal }: PageCall,
  lists: ServerLists,
): Promise<Page> {
  if (cursor) {
    throw inputError(
      `Invalid cursor \`${cursor}\` for server ${server.name}: the server was stopped. Request the list without a cursor.`,
    );
  }
  const reader = { timeLeft, signal };
  const { capabilities } = await lists.peer(server, reader);
  if (!(LISTS[list].capability in capabilities)) throw notImplemented(pluralOf(list), server.name);
  const { items } = await lists.read(server, list, reader);
  return { items: items.filter((item) => canList(caller, server.spec(), list, item)), nextCursor: undefined };
}

const onePage = (page: ShapeOfParams, list: ListName): ItemsFrom => ({
  items: itemsOf(page, list),
  nextCursor: nextCursorOf(page),
});

/** Rejects requests for capabilities that the server did not declare. `what` names the items in the error. */
export async function requireCapability(
  context: CallContext,
  capability: string,
  what: string = capability,
): Promise<void> {
  const { peer } = await context.connection();
  if (!(capability in peer.capabilities)) throw notImplemented(what, context.server.name);
}

/** A reader of lists with the time limit of a call. */
export const readerOf = ({ timeLeft }: CallContext, { signal }: ServerCall): ListReader => ({
  timeLeft,
  signal,
});
