import { changedMembers, type ItemDefinition, itemDefinition } from '../config/item-definition.ts';
import type { PinnedItems, PinnedServer } from '../config/pins-file.ts';
import { type ItemKind, LIST_ITEMS, LIST_NAMES, type ListName } from '../shared/list-items.ts';

/** A difference between a server's pinned items and its current items. */
export interface ItemDifference {
  readonly kind: ItemKind;
  /** For resources, the URI. */
  readonly name: string;
  readonly change: 'new' | 'changed' | 'removed';
  /** The names of the members that differ. */
  readonly members: readonly string[];
  readonly pinned: ItemDefinition | undefined;
  readonly current: ItemDefinition | undefined;
}

/** Compares the items of all lists; the result is sorted by list and name. Pins of earlier versions only cover tools. */
export const compareItems = (pinned: PinnedServer | undefined, current: PinnedServer): ItemDifference[] =>
  (pinned?.scope === 'basic' ? (['tools'] as const) : LIST_NAMES).flatMap((list) =>
    compareList(list, pinned?.lists[list] ?? {}, currentItems(pinned, current, list)),
  );

/** Returns the current items with the members that the pins cover. */
function currentItems(
  pinned: PinnedServer | undefined,
  { lists }: PinnedServer,
  list: ListName,
): PinnedItems {
  const items = lists[list] ?? {};
  if (pinned?.scope !== 'basic') return items;
  return Object.fromEntries(
    Object.entries(items).map(([name, { hash, definition }]) => [
      name,
      { hash, definition: itemDefinition(list, definition, 'basic') },
    ]),
  );
}

function compareList(list: ListName, pinned: PinnedItems, current: PinnedItems): ItemDifference[] {
  const names = [...new Set([...Object.keys(pinned), ...Object.keys(current)])].toSorted();
  return names.flatMap((name): ItemDifference[] => {
    const before = Object.hasOwn(pinned, name) ? pinned[name]?.definition : undefined;
    const after = Object.hasOwn(current, name) ? current[name]?.definition : undefined;
    const members = changedMembers(before ?? {}, after ?? {});
    if (before && after && members.length === 0) return [];
    const change = !before ? 'new' : after ? 'changed' : 'removed';
    return [{ kind: LIST_ITEMS[list].kind, name, change, members, pinned: before, current: after }];
  });
}
