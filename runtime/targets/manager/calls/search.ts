import type { ToolCaller } from '../access/caller.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { type Calls, isTool, type UpstreamTool } from './call.ts';
import type { ItemMeanings } from './item-meanings.ts';
import { type FoundItem, MAX_LIST_AGE_MS, type SearchKind, SEARCH_KINDS, words } from './search-kinds.ts';
import { qualifiedToolName } from './tool-catalog.ts';
import { isVisibleTo } from './tool-visibility.ts';
import { rankItems, type WordMatch } from './rank-items.ts';
import MiniSearch from 'minisearch';
import { createYielder } from '#platform/run-yielding.ts';

interface SearchRequest {
  readonly requestId: string;
  readonly signal?: AbortSignal | undefined;
  /** Called for each server whose items are not searched because it failed. */
  readonly onFailure: (server: string, reason: unknown) => void;
}

export interface CatalogSearch {
  /** Returns the best matches first; with an empty query, the first items of the lists. */
  search(caller: ToolCaller, query: string, limit: number, request: SearchRequest): Promise<FoundItem[]>;
}

/** Maximum number of cached indexes. Callers with the same accessible items share one. */
const MAX_INDEXES = 16;

/**
 * Searches the items of all servers by the words of their names, titles, descriptions and parameters and, if
 * there is an encoder, also by their meaning.
 */
export function createSearch(
  calls: Calls,
  { lists, texts, isSearched = () => true }: SearchKind,
  meanings?: ItemMeanings,
): CatalogSearch {
  const indexes = createIndexes(texts);

  /** The items of a server, without a request if they are cached. */
  function itemsInMemory(caller: ToolCaller, server: string): readonly FoundItem[] | undefined {
    const found: FoundItem[] = [];
    for (const list of lists) {
      const items = calls.listed({ caller, server, list, maxAgeMs: MAX_LIST_AGE_MS });
      if (items === undefined) return undefined;
      for (const item of items) found.push({ server, list, item });
    }
    return found;
  }

  return {
    async search(caller, query, limit, { requestId, signal, onFailure }) {
      const servers = calls.servers(caller);
      const known = new Map(servers.map((server) => [server, itemsInMemory(caller, server)]));
      const listed = await queryServers(
        servers.filter((server) => known.get(server) === undefined),
        async (server) => {
          const answers = await Promise.all(
            lists.map(async (list) => {
              const call = { caller, server, requestId, signal, list, maxAgeMs: MAX_LIST_AGE_MS };
              const items: readonly ShapeOfParams[] = await calls.listAll(call);
              return items.map((item): FoundItem => ({ server, list, item }));
            }),
          );
          return answers.flat();
        },
        { signal, onFailure },
      );
      for (const { server, result } of listed) known.set(server, result);
      const items = [...known.values()].flatMap((some) => some ?? []).filter(({ item }) => isSearched(item));
      if (query.trim() === '') return items.slice(0, limit);
      const index = indexes.for(caller, items);
      if (!meanings) return await index.find(query, limit, items);
      // Only items that the caller can see are compared, so that others cannot change the results.
      const [matches, similarities] = await Promise.all([
        index.matches(query, items),
        meanings.similarities(query, items, texts, signal),
      ]);
      if (!similarities) return matches.slice(0, limit).map(({ found }) => found);
      return rankItems({ items, matches, similarities, words: words(query).length }).slice(0, limit);
    },
  };
}

interface Indexes {
  /** Returns an index with these items, which may still be updating. */
  for(caller: ToolCaller, items: readonly FoundItem[]): ItemIndex;
}

/** The latest indexes of callers. */
function createIndexes(texts: SearchKind['texts']): Indexes {
  const known = new Map<string, { readonly index: ItemIndex; readonly version: number }>();
  const choose = (
    own: { readonly index: ItemIndex; readonly version: number } | undefined,
    items: readonly FoundItem[],
  ): ItemIndex => {
    if (own?.index.has(items)) return own.index;
    const same = [...known.values()].find(({ index }) => index.has(items));
    if (same) return same.index;
    // An index that was updated for another caller cannot be used for this caller, because their permissions
    // differ.
    const index = own?.version === own?.index.version ? own?.index : undefined;
    const updated = index ?? new ItemIndex(texts);
    updated.update(items);
    return updated;
  };
  return {
    for(caller, items) {
      const key = `${caller.group ?? ''} ${caller.name}`;
      const index = choose(known.get(key), items);
      known.delete(key);
      known.set(key, { index, version: index.version });
      for (const oldest of [...known.keys()].slice(0, -MAX_INDEXES)) known.delete(oldest);
      return index;
    },
  };
}

export interface FoundTool {
  readonly server: string;
  /** `server__tool`, or a mapped name that clients accept. */
  readonly name: string;
  /** The tool as the server sent it. */
  readonly tool: UpstreamTool;
}

export interface ToolSearch {
  /** Returns the best matches first; with an empty query, the first tools of the list. */
  search(
    caller: ToolCaller,
    query: string,
    limit: number,
    request: Parameters<CatalogSearch['search']>[3],
  ): Promise<FoundTool[]>;
}

/** Searches the tools of all servers that a language model can use. */
export function createToolSearch(calls: Calls, meanings?: ItemMeanings): ToolSearch {
  const tools = createSearch(
    calls,
    { ...SEARCH_KINDS.tools, isSearched: (tool) => isVisibleTo(tool, 'model') },
    meanings,
  );
  return {
    search: async (...request) =>
      (await tools.search(...request)).flatMap(({ server, item }) =>
        isTool(item) ? [{ server, name: qualifiedToolName(server, item.name), tool: item }] : [],
      ),
  };
}

/**
 * A word index. When items change, only the items that differ are removed or added.
 *
 * @internal Exported for tests only.
 */
export class ItemIndex {
  readonly #texts: SearchKind['texts'];
  readonly #words: MiniSearch;
  readonly #ids = new Map<ShapeOfParams, number>();
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
        // A single letter, such as the word "a", is a prefix of too many words.
        prefix: (word, _at, all) => word.length > 1 || all.length === 1,
        fuzzy: 0.2,
      },
    });
  }

  /** Update counter. */
  get version(): number {
    return this.#version;
  }

  /** Whether the index has exactly these items. Unchanged lists contain the same objects. */
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

  /** Returns the items that match a query, best first. Only those in `items` are returned. */
  async find(query: string, limit: number, items: readonly FoundItem[]): Promise<FoundItem[]> {
    return (await this.matches(query, items)).slice(0, limit).map(({ found }) => found);
  }

  /** Returns all matches with their scores, best first. Only those in `items` are returned. */
  async matches(query: string, items: readonly FoundItem[]): Promise<WordMatch[]> {
    await this.#updated;
    const matches = this.#words.search(query).flatMap(({ id, score }) => {
      const found = this.#byId.get(Number(id));
      return found ? [{ found, score }] : [];
    });
    if (this.has(items)) return matches;
    // In the meantime, the index was updated for another caller.
    const visible = new Set(items.map(({ item }) => item));
    return matches.filter(({ found }) => visible.has(found.item));
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

/** The result from one server. */
interface ServerResult<Result> {
  readonly server: string;
  readonly result: Result;
}

interface QueryServersOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called for each server that is omitted from the results. */
  readonly onFailure: (server: string, reason: unknown) => void;
}

/** Queries servers concurrently. A server that fails is omitted and does not affect the others' results. */
export async function queryServers<Result>(
  servers: readonly string[],
  query: (server: string) => Promise<Result>,
  { signal, onFailure }: QueryServersOptions,
): Promise<ServerResult<Result>[]> {
  const results = await Promise.all(
    servers.map(async (server): Promise<ServerResult<Result>[]> => {
      try {
        return [{ server, result: await query(server) }];
      } catch (error) {
        signal?.throwIfAborted();
        onFailure(server, error);
        return [];
      }
    }),
  );
  return results.flat();
}
