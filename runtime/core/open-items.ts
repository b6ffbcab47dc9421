/**
 * A map for what comes and goes by the thousand, as requests do. A `Map` that outgrew its table keeps the old one as long as
 * anything in it is referred to from the old generation of the heap, and with it everything that was in it: what is deleted here
 * is let go of at once (docs/decisions/0017).
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

  /** In the order they came. */
  values(): Item[] {
    return [...this.#boxes.values()].flatMap(({ item }) => item ?? []);
  }

  keys(): Key[] {
    return [...this.#boxes.keys()];
  }
}
