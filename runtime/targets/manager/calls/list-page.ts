import { inputError } from '../../../contract/errors.ts';
import type { Page } from './call.ts';
import { isInvalidParams, isMethodNotFound, notImplemented } from './failures.ts';
import { itemsOf, nextCursorOf } from './list-pages.ts';
import type { Caller } from '../access/caller.ts';
import { mayList } from './offered.ts';
import { LISTS } from './request-list.ts';
import type { CheckList, ListName } from '../shapes/check-list.ts';
import type { Visit } from './visit.ts';

export interface PageRequest {
  readonly list: Exclude<ListName, 'tools'>;
  readonly cursor: string | undefined;
  readonly caller: Caller;
}

/** One page as the server gives it, repaired, without what is malformed, not offered or not for this caller. */
export async function listPage(
  visit: Visit,
  { list, cursor, caller }: PageRequest,
  checkList: CheckList,
): Promise<Page> {
  const { server } = visit;
  const { capability, method } = LISTS[list];
  await demand(visit, capability);
  try {
    const page = await visit.request(method, cursor ? { cursor } : undefined);
    const { items, faults } = await checkList(list, itemsOf(page, list));
    server.listFaults.report(list, faults, { isFirstPage: !cursor });
    const offered = items.filter((item) => mayList(caller, server.spec(), list, item));
    return { items: offered, nextCursor: nextCursorOf(page) };
  } catch (error) {
    if (isMethodNotFound(error)) throw notImplemented(capability, server.name);
    if (cursor && isInvalidParams(error)) {
      throw inputError(
        `The cursor \`${cursor}\` is not one of server ${server.name}; take it from \`nextCursor\` of the page before.`,
        error,
      );
    }
    throw error;
  }
}

/** Refuses what the server never said it could do. */
export async function demand({ connection, server }: Visit, capability: string): Promise<void> {
  const { peer } = await connection();
  if (!(capability in peer.capabilities)) throw notImplemented(capability, server.name);
}
