import { createHash } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import { usedItems } from '../shapes/check-list.ts';
import type { ListName } from '../shared/list-items.ts';
import { isObject } from '#core/json/is-object.ts';
import type { Connection } from '../upstream/connection.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { isMethodNotFound } from './run-call.ts';
import { allItems } from './list-pages.ts';

interface ListOptions {
  readonly clock: Clock;
  /** Total timeout for all pages. */
  readonly timeoutMs: number;
}

export interface WholeList {
  readonly items: readonly unknown[];
  readonly maxAge: number;
  /** A hash of the items. */
  readonly digest: string;
}

/** The capability and method of each list. */
export const LISTS = {
  tools: { capability: 'tools', method: 'tools/list' },
  prompts: { capability: 'prompts', method: 'prompts/list' },
  resources: { capability: 'resources', method: 'resources/list' },
  resourceTemplates: { capability: 'resources', method: 'resources/templates/list' },
} as const satisfies Record<ListName, { readonly capability: string; readonly method: string }>;

/** Requests all pages of a list; it is empty if the server does not support it. */
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
  const digest = digestOf([items.length, usedItems(list, items)]);
  const stated = ttlMs !== undefined && Number.isFinite(ttlMs) ? ttlMs : undefined;
  return { items, digest, maxAge: maxListAge(list, { capabilities, ttlMs: stated }) };
}

/** Returns a hash of a JSON value. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64');

const SECOND = 1000;
/** Maximum age of a list if the server does not announce changes. */
const UNANNOUNCED_MS = 30 * SECOND;
/**
 * Maximum age of a list if the server declares that it announces changes. Some servers never send
 * announcements, and streams from remote servers can break.
 */
const ANNOUNCED_MS = 300 * SECOND;
/** Minimum age, so that calls in quick succession share a list even if the server does not want it cached. */
const MIN_AGE_MS = SECOND;
const MAX_AGE_MS = 86_400 * SECOND;

interface ListFacts {
  readonly capabilities: ShapeOfParams;
  /** `ttlMs` of the result, since revision 2026-07-28. The official SDKs send 0 by default, so 0 is ignored. */
  readonly ttlMs: number | undefined;
}

/**
 * Returns how long to cache a list, in milliseconds. Without `ttlMs`, only tools are cached, because each
 * call needs them.
 */
function maxListAge(list: ListName, { capabilities, ttlMs }: ListFacts): number {
  if (ttlMs !== undefined && ttlMs > 0) return Math.min(Math.max(ttlMs, MIN_AGE_MS), MAX_AGE_MS);
  if (list !== 'tools') return 0;
  const { tools } = capabilities;
  if (isObject(tools) && tools['listChanged'] === true) return ANNOUNCED_MS;
  return ttlMs === 0 ? MIN_AGE_MS : UNANNOUNCED_MS;
}

/** Returns the `ttlMs` of a page if valid. */
const ttlOf = ({ ttlMs }: ShapeOfParams): number | undefined =>
  typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : undefined;
