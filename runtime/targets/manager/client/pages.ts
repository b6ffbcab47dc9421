import { listAllPages } from '../calls/list-pages.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { type ManagerClient, withQuery } from './manager-client.ts';

/** Fetches all pages of a list and returns their items. */
export const allPages = (
  manager: ManagerClient,
  path: string,
  member: string,
): Promise<readonly ShapeOfParams[]> =>
  listAllPages(
    member,
    async (cursor) =>
      (await manager.get(cursor === undefined ? path : withQuery(path, { cursor }))) as ShapeOfParams,
  );
