/** Server lists, by the result member that contains the items: the noun for an item, and the member that identifies it. */
export const LIST_ITEMS = {
  tools: { kind: 'tool', key: 'name' },
  prompts: { kind: 'prompt', key: 'name' },
  resources: { kind: 'resource', key: 'uri' },
  resourceTemplates: { kind: 'resource template', key: 'uriTemplate' },
} as const;

export type ListName = keyof typeof LIST_ITEMS;
export type ItemKind = (typeof LIST_ITEMS)[ListName]['kind'];

export const LIST_NAMES = Object.keys(LIST_ITEMS) as ListName[];
export const ITEM_KINDS: readonly ItemKind[] = LIST_NAMES.map((list) => LIST_ITEMS[list].kind);

/** Returns the name of an item; for resources, its URI. */
export const itemName = (list: ListName, item: Readonly<Record<string, unknown>>): string =>
  String(item[LIST_ITEMS[list].key]);
