import { inputError } from '../../../contract/errors.ts';
import type { Page } from './call.ts';
import { isInvalidParams, isMethodNotFound, notImplemented } from './failures.ts';
import { itemsOf, nextCursorOf } from './list-pages.ts';
import type { Caller } from '../access/caller.ts';
import { canList } from './permissions.ts';
import { LISTS } from './request-list.ts';
import type { CheckList, ListName } from '../shapes/check-list.ts';
import type { CallContext } from './call-context.ts';

export interface PageRequest {
  readonly list: Exclude<ListName, 'tools'>;
  readonly cursor: string | undefined;
  readonly caller: Caller;
}

/** Returns a page of the server with repaired items, without items that are malformed or not allowed for the caller. */
export async function listPage(
  context: CallContext,
  { list, cursor, caller }: PageRequest,
  checkList: CheckList,
): Promise<Page> {
  const { server } = context;
  const { capability, method } = LISTS[list];
  await requireCapability(context, capability);
  try {
    const page = await context.request(method, cursor ? { cursor } : undefined);
    const { items, faults } = await checkList(list, itemsOf(page, list));
    server.listFaults.report(list, faults, { isFirstPage: !cursor });
    const allowed = items.filter((item) => canList(caller, server.spec(), list, item));
    return { items: allowed, nextCursor: nextCursorOf(page) };
  } catch (error) {
    if (isMethodNotFound(error)) throw notImplemented(capability, server.name);
    if (cursor && isInvalidParams(error)) {
      throw inputError(
        `Invalid cursor \`${cursor}\` for server ${server.name}. Use \`nextCursor\` of the previous page.`,
        error,
      );
    }
    throw error;
  }
}

/** Rejects requests for capabilities that the server did not declare. */
export async function requireCapability(
  { connection, server }: CallContext,
  capability: string,
): Promise<void> {
  const { peer } = await connection();
  if (!(capability in peer.capabilities)) throw notImplemented(capability, server.name);
}
