import { inputError } from '../../../contract/errors.ts';
import type { Params } from '../upstream/connection.ts';
import type { Page } from './api.ts';
import { isInvalidParams, isMethodNotFound, notImplemented } from './failures.ts';
import { itemsOf, nextCursorOf } from './list-pages.ts';
import type { Visit } from './visit.ts';

export interface PageRequest {
  /** What the server must be able to do, and what it is called when it is not. */
  readonly capability: 'prompts' | 'resources';
  readonly method: string;
  /** Where the result has the entries. */
  readonly key: string;
  readonly cursor: string | undefined;
  readonly isOffered: (item: Params) => boolean;
}

/** One page as the server gives it, less what is not offered. */
export async function listPage(
  visit: Visit,
  { capability, method, key, cursor, isOffered }: PageRequest,
): Promise<Page> {
  await demand(visit, capability);
  try {
    const page = await visit.request(method, cursor ? { cursor } : undefined);
    return { items: itemsOf(page, key).filter(isOffered), nextCursor: nextCursorOf(page) };
  } catch (error) {
    if (isMethodNotFound(error)) throw notImplemented(capability, visit.server.name);
    if (cursor && isInvalidParams(error)) {
      throw inputError(
        `The cursor \`${cursor}\` is not one of server ${visit.server.name}; take it from \`nextCursor\` of the page before.`,
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
