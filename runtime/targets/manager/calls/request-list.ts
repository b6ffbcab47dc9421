import { createHash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Connection } from '../upstream/connection.ts';
import { isMethodNotFound } from './failures.ts';
import { maxListAge, ttlOf } from './list-age.ts';
import { allItems } from './list-pages.ts';

interface ListOptions {
  readonly clock: Clock;
  /** For all pages together. */
  readonly timeoutMs: number;
}

export interface WholeList {
  readonly items: readonly unknown[];
  readonly maxAge: number;
  /** Equal for equal items. */
  readonly digest: string;
}

/** Which capability a list belongs to, and what it is called on the wire. */
export const LISTS = {
  tools: { capability: 'tools', method: 'tools/list' },
  prompts: { capability: 'prompts', method: 'prompts/list' },
  resources: { capability: 'resources', method: 'resources/list' },
  resourceTemplates: { capability: 'resources', method: 'resources/templates/list' },
} as const satisfies Record<ListName, { readonly capability: string; readonly method: string }>;

/** All pages of a list; a server that does not have such a list has an empty one. */
export async function requestList(
  connection: Connection,
  list: ListName,
  { clock, timeoutMs }: ListOptions,
): Promise<WholeList> {
  const { capabilities } = connection.peer;
  const { capability, method } = LISTS[list];
  const deadline = clock.now() + timeoutMs;
  let ttlMs: number | undefined;
  let items: readonly unknown[] = [];
  try {
    if (capability in capabilities) {
      items = await allItems(list, async (cursor) => {
        const page = await connection.request(method, cursor === undefined ? undefined : { cursor }, {
          timeoutMs: Math.max(1, Math.ceil(deadline - clock.now())),
        });
        ttlMs = Math.min(ttlMs ?? Infinity, ttlOf(page) ?? Infinity);
        return page;
      });
    }
  } catch (error) {
    if (!isMethodNotFound(error)) throw error;
  }
  const digest = createHash('sha256').update(JSON.stringify(items)).digest('base64');
  const stated = ttlMs !== undefined && Number.isFinite(ttlMs) ? ttlMs : undefined;
  return { items, digest, maxAge: maxListAge(list, { capabilities, ttlMs: stated }) };
}
