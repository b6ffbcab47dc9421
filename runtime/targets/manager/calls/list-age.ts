import { isObject } from '../../../core/json/is-object.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Params } from '../shapes/shape.ts';

const SECOND = 1000;
/** A server that cannot announce changes is asked again after this time. */
const UNANNOUNCED_MS = 30 * SECOND;
/** An announcement can get lost: streams of remote servers break, and some servers promise announcements and send none. */
const ANNOUNCED_MS = 300 * SECOND;
/** Calls in quick succession share one list, even if the server wants it to be listed each time. */
const MIN_AGE_MS = SECOND;
const MAX_AGE_MS = 86_400 * SECOND;

interface ListFacts {
  readonly capabilities: Params;
  /** `ttlMs` of the result, from revision 2026-07-28 on. 0 is the default of the official SDKs: no statement about the list. */
  readonly ttlMs: number | undefined;
}

/** Milliseconds for which a list is used without asking the server again. Only tools are kept without a `ttlMs`: each call needs them. */
export function maxListAge(list: ListName, { capabilities, ttlMs }: ListFacts): number {
  if (ttlMs !== undefined && ttlMs > 0) return Math.min(Math.max(ttlMs, MIN_AGE_MS), MAX_AGE_MS);
  if (list !== 'tools') return 0;
  const { tools } = capabilities;
  if (isObject(tools) && tools['listChanged'] === true) return ANNOUNCED_MS;
  return ttlMs === 0 ? MIN_AGE_MS : UNANNOUNCED_MS;
}

/** `ttlMs` of one page. */
export const ttlOf = ({ ttlMs }: Params): number | undefined =>
  typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : undefined;
