import type { Caller } from '../access/caller.ts';
import type { Params } from '../shapes/shape.ts';
import type { Calls } from './call.ts';
import { type FoundItem, ItemIndex } from './item-index.ts';
import { queryServers } from './query-servers.ts';
import type { SearchKind } from './search-kinds.ts';

interface SearchRequest {
  readonly requestId: string;
  readonly signal?: AbortSignal | undefined;
  /** Called for each server whose items are not searched, because it failed. */
  readonly onFailure: (server: string, reason: unknown) => void;
}

export interface Search {
  /** Returns the best matches first; with an empty query, the first items of the lists. */
  search(caller: Caller, query: string, limit: number, request: SearchRequest): Promise<FoundItem[]>;
}

/** Number of callers with an index. Those that can use the same items share one. */
const MAX_INDEXES = 16;

/** Maximum age of the lists that are searched, unless their server announced a change. A search has a request for each word that is typed. */
const MAX_LIST_AGE_MS = 30_000;

/** Searches the items of all servers by their names, titles, descriptions and parameters. */
export function createSearch(calls: Calls, { lists, texts }: SearchKind): Search {
  const indexes = createIndexes(texts);

  /** The items of a server, without a request if they are in memory. */
  function itemsInMemory(caller: Caller, server: string): readonly FoundItem[] | undefined {
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
              const items: readonly Params[] = await calls.listAll(call);
              return items.map((item): FoundItem => ({ server, list, item }));
            }),
          );
          return answers.flat();
        },
        { signal, onFailure },
      );
      for (const { server, result } of listed) known.set(server, result);
      const items = [...known.values()].flatMap((some) => some ?? []);
      if (query.trim() === '') return items.slice(0, limit);
      return await indexes.for(caller, items).find(query, limit, items);
    },
  };
}

interface Indexes {
  /** Returns an index that has these items, or will have them after the update that was started. */
  for(caller: Caller, items: readonly FoundItem[]): ItemIndex;
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
    // An index that was updated for another caller is not that of this one any more: their permissions differ.
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
