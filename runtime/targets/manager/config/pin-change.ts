import { itemName, type ListName } from '../shared/list-items.ts';
import { itemHash } from './item-definition.ts';
import type { ItemPins } from './tool-policy.ts';

type Item = Readonly<Record<string, unknown>>;

/** URIs of the pages of MCP Apps: programs of the server, which do not appear during its use. */
const APP_PAGE = /^ui:/i;

/** How an item differs from the server's pins; undefined if it does not. */
export function pinChange(pins: ItemPins, list: ListName, item: Item): 'new' | 'changed' | undefined {
  if (pins.scope === 'basic' && list !== 'tools') return undefined;
  const pinned = pinnedHash(pins, list, item);
  if (pinned !== undefined) return pinned === itemHash(list, item, pins.scope) ? undefined : 'changed';
  // Resources are data: files and records appear while a server is used.
  return list === 'resources' && !APP_PAGE.test(itemName(list, item)) ? undefined : 'new';
}

/** Whether an item is pinned with all of its current members, so that a person has accepted them. */
export const isPinnedAs = (pins: ItemPins, list: ListName, item: Item): boolean =>
  pinnedHash(pins, list, item) === itemHash(list, item);

function pinnedHash({ hashes }: ItemPins, list: ListName, item: Item): string | undefined {
  const own = hashes[list] ?? {};
  const name = itemName(list, item);
  return Object.hasOwn(own, name) ? own[name] : undefined;
}
