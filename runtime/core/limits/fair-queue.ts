/**
 * A queue that several flows share by weight, with start-time fair queuing: each item gets a start time in a
 * virtual clock, which advances by the reciprocal of its flow's weight, and the item with the earliest start
 * is next. A flow with many items therefore does not delay the items of others, a heavier flow is served more
 * often, and every item is served after a limited number of others, however heavy they are. Within a flow,
 * items are served in the order in which they were added.
 * @see Goyal, Vin, Cheng: Start-time Fair Queuing (SIGCOMM 1996)
 */
export class FairQueue<Item> {
  readonly #flows = new Map<string, Flow<Item>>();
  #virtualTime = 0;
  #size = 0;
  #added = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an item to a flow. The weight of a flow must be constant and greater than 0. */
  add(
    item: Item,
    { flow: name, weight }: { readonly flow: string; readonly weight: number },
  ): FairEntry<Item> {
    let flow = this.#flows.get(name);
    if (!flow) {
      flow = { name, weight, start: this.#virtualTime, entries: [] };
      this.#flows.set(name, flow);
    } else if (flow.entries.length === 0) {
      flow.start = Math.max(flow.start, this.#virtualTime);
    }
    const entry = { item, flow, order: this.#added };
    this.#added += 1;
    flow.entries.push(entry);
    this.#size += 1;
    return entry;
  }

  /** The item that is next; undefined if the queue is empty. */
  first(): FairEntry<Item> | undefined {
    let best: Entry<Item> | undefined;
    for (const { entries } of this.#flows.values()) {
      const [head] = entries;
      if (head && (!best || isBefore(head, best))) best = head;
    }
    return best;
  }

  /** Removes an item that is served, which counts for its flow. */
  take(entry: FairEntry<Item>): void {
    const { flow } = entry as Entry<Item>;
    if (!this.#remove(entry)) return;
    this.#virtualTime = Math.max(this.#virtualTime, flow.start);
    flow.start += 1 / flow.weight;
    this.#forget();
  }

  /** Removes an item that is not served. Repeated calls have no effect. */
  delete(entry: FairEntry<Item>): void {
    if (this.#remove(entry)) this.#forget();
  }

  #remove(entry: FairEntry<Item>): boolean {
    const { entries } = (entry as Entry<Item>).flow;
    const index = entries.indexOf(entry as Entry<Item>);
    if (index === -1) return false;
    entries.splice(index, 1);
    this.#size -= 1;
    return true;
  }

  /** Forgets flows without items, except those that were served more than their share. */
  #forget(): void {
    if (this.#size === 0) {
      this.#flows.clear();
      this.#virtualTime = 0;
      return;
    }
    for (const [name, { entries, start }] of this.#flows)
      if (entries.length === 0 && start <= this.#virtualTime) this.#flows.delete(name);
  }
}

/** An item in the queue. */
export interface FairEntry<Item> {
  readonly item: Item;
}

interface Entry<Item> extends FairEntry<Item> {
  readonly flow: Flow<Item>;
  readonly order: number;
}

interface Flow<Item> {
  readonly name: string;
  readonly weight: number;
  /** Virtual start time of the first item. */
  start: number;
  readonly entries: Entry<Item>[];
}

const isBefore = <Item>(one: Entry<Item>, other: Entry<Item>): boolean =>
  one.flow.start < other.flow.start || (one.flow.start === other.flow.start && one.order < other.order);
