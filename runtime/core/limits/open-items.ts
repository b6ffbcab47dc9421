/**
 * A map for short-lived entries such as requests, which releases deleted entries immediately. A
 * growing `Map`, in contrast, keeps its old table and all entries in it as long as the old
 * generation of the heap refers to the table (docs/decisions/0017).
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
