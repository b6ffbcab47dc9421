import { lookup } from '#core/values/lookup.ts';
import { sha256 } from '#platform/sha256.ts';
import { canonicalJson } from '../shared/canonical-json.ts';
import { itemName, LIST_ITEMS, type ListName } from '../shared/list-items.ts';

type Item = Readonly<Record<string, unknown>>;

/** The members of an item without the one that identifies it. */
export type ItemDefinition = Item;

/**
 * `complete`: all members of the items of all lists. `basic`: the members of tools that earlier versions pinned.
 * Basic pins are valid until the server is pinned again.
 */
export type PinScope = 'complete' | 'basic';

const BASIC_MEMBERS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/**
 * Members of `_meta` that belong to the message that contains the item: a server that traces its requests sets them
 * to other values in each list.
 */
const MESSAGE_META = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage']);

/** Returns the members of an item to pin: those on which clients, models and people rely. */
export function itemDefinition(list: ListName, item: Item, scope: PinScope = 'complete'): ItemDefinition {
  const { key } = LIST_ITEMS[list];
  const members = Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined || name === key) return [];
    if (scope === 'basic') return BASIC_MEMBERS.includes(name) ? [[name, value]] : [];
    const pinned = pinnedValue(list, name, value);
    return pinned === undefined ? [] : [[name, pinned]];
  });
  return Object.fromEntries(members);
}

/** Returns the part of a member that must not change. */
function pinnedValue(list: ListName, name: string, value: unknown): unknown {
  if (name === '_meta') return without(value, (member) => MESSAGE_META.has(member));
  if (list !== 'resources' && list !== 'resourceTemplates') return value;
  // These describe the current content of a resource, which is allowed to change.
  if (name === 'size') return undefined;
  if (name === 'annotations') return without(value, (member) => member === 'lastModified');
  return value;
}

/** Removes members from an object; undefined if none are left. */
function without(value: unknown, isRemoved: (name: string) => boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !isRemoved(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Returns the hash of an item's name (for resources: its URI) and definition. */
export const definitionHash = (list: ListName, name: string, definition: ItemDefinition): string =>
  `sha256:${sha256(canonicalJson({ ...definition, [LIST_ITEMS[list].key]: name }))}`;

/** Returns the hash of the members of an item that are pinned. */
export const itemHash = (list: ListName, item: Item, scope: PinScope = 'complete'): string =>
  definitionHash(list, itemName(list, item), itemDefinition(list, item, scope));

/** Members that differ are listed in this order, followed by all others. */
const ORDER = lookup<number>(Object.fromEntries(BASIC_MEMBERS.map((name, at) => [name, at])));
const orderOf = (name: string): number => ORDER[name] ?? BASIC_MEMBERS.length;

/** Returns the names of the members that differ between two definitions. */
export const changedMembers = (before: ItemDefinition, after: ItemDefinition): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => textOf(before, name) !== textOf(after, name))
    .toSorted((a, b) => orderOf(a) - orderOf(b) || (a < b ? -1 : 1));

const textOf = (definition: ItemDefinition, name: string): string | undefined =>
  Object.hasOwn(definition, name) ? canonicalJson(definition[name]) : undefined;
