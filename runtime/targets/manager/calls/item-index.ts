import MiniSearch from 'minisearch';
import { createYielder } from '#platform/run-yielding.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Params } from '../shapes/shape.ts';
import type { SearchKind } from './search-kinds.ts';

export interface FoundItem {
  readonly server: string;
  readonly list: ListName;
  /** The item as the server sent it. */
  readonly item: Params;
}

/** An index of words. When items change, it removes and adds only those that differ. */
export class ItemIndex {
  readonly #texts: SearchKind['texts'];
  readonly #words: MiniSearch;
  readonly #ids = new Map<Params, number>();
  readonly #byId = new Map<number, FoundItem>();
  #items: readonly FoundItem[] = [];
  #nextId = 0;
  #version = 0;
  #updated = Promise.resolve();

  constructor(texts: SearchKind['texts']) {
    this.#texts = texts;
    this.#words = new MiniSearch({
      fields: ['name', 'title', 'description', 'parameters'],
      tokenize: words,
      searchOptions: {
        boost: { name: 4, title: 3, parameters: 0.5 },
        // A letter in a sentence, such as "a", is the start of too many words.
        prefix: (word, _at, all) => word.length > 1 || all.length === 1,
        fuzzy: 0.2,
      },
    });
  }

  /** Counts the updates. */
  get version(): number {
    return this.#version;
  }

  /** Whether the index has exactly these items. Lists that did not change contain the same objects. */
  has(items: readonly FoundItem[]): boolean {
    const own = this.#items;
    return (
      own.length === items.length &&
      own.every(({ server, item }, at) => item === items[at]?.item && server === items[at].server)
    );
  }

  update(items: readonly FoundItem[]): void {
    this.#items = items;
    this.#version += 1;
    this.#updated = this.#updated.then(() => this.#apply(items));
  }

  /** Returns the items that match a query, the best ones first. Only those in `items` are returned. */
  async find(query: string, limit: number, items: readonly FoundItem[]): Promise<FoundItem[]> {
    await this.#updated;
    const found = this.#words.search(query).flatMap(({ id }) => this.#byId.get(Number(id)) ?? []);
    if (this.has(items)) return found.slice(0, limit);
    // The index was updated for another caller in the meantime.
    const visible = new Set(items.map(({ item }) => item));
    return found.filter(({ item }) => visible.has(item)).slice(0, limit);
  }

  async #apply(items: readonly FoundItem[]): Promise<void> {
    const yieldIfLong = createYielder();
    const current = new Set(items.map(({ item }) => item));
    for (const [item, id] of this.#ids) {
      if (current.has(item)) continue;
      this.#words.discard(id);
      this.#ids.delete(item);
      this.#byId.delete(id);
    }
    for (const found of items) {
      if (this.#ids.has(found.item)) continue;
      const id = (this.#nextId += 1);
      this.#ids.set(found.item, id);
      this.#byId.set(id, found);
      this.#words.add({ id, ...this.#texts(found.server, found.item) });
      await yieldIfLong();
    }
  }
}

/** Splits a text into words, including those inside `getCurrentTime` and `get_current_time`. */
function words(text: string): string[] {
  const spaced = text.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
