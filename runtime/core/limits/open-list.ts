/**
 * A list of short-lived items such as running requests, in the order in which they were added. Adding and
 * deleting takes constant time, and deleted items are released immediately. A `Set`, in contrast, keeps its
 * old tables and all items in them as long as the old generation of the heap refers to one of these tables
 * (docs/decisions/0017).
 */
export class OpenList<Item> {
  #first: Entry<Item> | undefined;
  #last: Entry<Item> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The entry that was added first. */
  get first(): OpenEntry<Item> | undefined {
    return this.#first;
  }

  /** Adds an item, and returns the entry with which it can be deleted. */
  add(item: Item): OpenEntry<Item> {
    const entry: Entry<Item> = { item, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.#size += 1;
    return entry;
  }

  /** Deletes an entry of this list. Repeated calls have no effect. */
  delete(entry: OpenEntry<Item>): void {
    const { previous, next } = entry as Entry<Item>;
    if (previous === undefined && this.#first !== entry) return;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    const removed = entry as Entry<Item>;
    removed.previous = undefined;
    removed.next = undefined;
    this.#size -= 1;
  }

  /** The items at the time of the call, so that they can be deleted while the caller iterates over them. */
  items(): Item[] {
    const items: Item[] = [];
    for (let entry = this.#first; entry; entry = entry.next) items.push(entry.item);
    return items;
  }
}

export interface OpenEntry<Item> {
  readonly item: Item;
}

interface Entry<Item> extends OpenEntry<Item> {
  previous: Entry<Item> | undefined;
  next: Entry<Item> | undefined;
}
