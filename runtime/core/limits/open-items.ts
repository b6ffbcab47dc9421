/**
 * A map for short-lived entries such as requests. A growing `Map` keeps its old table while anything in the old generation of
 * the heap refers to it, and with it everything in that table; here, deleted entries are released immediately
 * (docs/decisions/0017).
 */
export class OpenItems<Key, Item> {
  readonly #boxes = new Map<Key, { item: Item | undefined }>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: Key): Item | undefined {
    return this.#boxes.get(key)?.item;
  }

  set(key: Key, item: Item): void {
    this.#boxes.set(key, { item });
  }

  delete(key: Key): void {
    const box = this.#boxes.get(key);
    if (!box) return;
    box.item = undefined;
    this.#boxes.delete(key);
  }

  /** Values in insertion order. */
  values(): Item[] {
    return [...this.#boxes.values()].flatMap(({ item }) => item ?? []);
  }

  keys(): Key[] {
    return [...this.#boxes.keys()];
  }
}
