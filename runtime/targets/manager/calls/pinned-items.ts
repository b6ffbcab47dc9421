import { AppError } from '#contract/errors.ts';
import { pinChange } from '../config/pin-change.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { PinAction } from '../config/tool-policy.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { itemName, LIST_ITEMS, type ListName } from '../shared/list-items.ts';
import type { ItemChange, ManagedServer } from '../supervisor/managed-server.ts';

type Items = readonly ShapeOfParams[];

interface Compared {
  readonly pins: ServerSpec['pins'];
  readonly visible: Items;
}

/** Log text that describes how changed items are treated. */
const CONSEQUENCES: Readonly<Record<PinAction, string>> = {
  warn: 'clients still get it',
  block: 'clients do not get it',
};

/** Compares prompts, resources and templates with their pins. Tools are compared by the tool catalog. */
export class PinnedItems {
  readonly #compared = new WeakMap<Items, Compared>();

  /** Returns the items that clients get, and reports those that differ. The result is the same object until something changes. */
  visible(
    server: ManagedServer,
    list: ListName,
    items: Items,
    { isWhole }: { readonly isWhole: boolean },
  ): Items {
    const { pins } = server.spec();
    if (list === 'tools' || !pins || pins.scope === 'basic') {
      if (list !== 'tools' && isWhole) server.pinFindings.reportItems(list, [], '');
      return items;
    }
    const known = this.#compared.get(items);
    if (known?.pins === pins) return known.visible;
    const changes: ItemChange[] = [];
    const kept = items.filter((item) => {
      const change = pinChange(pins, list, item);
      if (change) changes.push({ kind: LIST_ITEMS[list].kind, name: itemName(list, item), change });
      return change === undefined || pins.onChange === 'warn';
    });
    if (isWhole) server.pinFindings.reportItems(list, changes, CONSEQUENCES[pins.onChange]);
    const visible = kept.length === items.length ? items : kept;
    this.#compared.set(items, { pins, visible });
    return visible;
  }
}

/** Whether differences from the pins block prompts and resources of a server. */
export const blocksItems = ({ pins }: ServerSpec): boolean =>
  pins?.onChange === 'block' && pins.scope === 'complete';

/** Rejects the use of an item that differs from its pin. */
export function refuseChangedItem(
  { name: server, pins }: ServerSpec,
  list: ListName,
  item: ShapeOfParams,
): void {
  const change = pins && pinChange(pins, list, item);
  if (change === undefined) return;
  const { kind } = LIST_ITEMS[list];
  const reason = change === 'new' ? 'it is not pinned' : 'it differs from its pinned definition';
  throw new AppError(
    'ForbiddenError',
    `${kind} blocked: ${server}/${itemName(list, item)}: ${reason}. Review it with \`mcp-manager pin --diff ${server}\`, then accept it with \`mcp-manager pin ${server}\`.`,
  );
}
