import type { ListName } from '../shapes/check-list.ts';
import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import { CachedList, type ListParts } from './cached-list.ts';
import type { ListReader, ListSnapshot } from './list-reader.ts';
import { LISTS } from './request-list.ts';
import { serverOf } from './server-of.ts';

/** The cached lists of all servers. */
export interface ServerLists {
  readonly read: (server: ManagedServer, list: ListName, reader: ListReader) => Promise<ListSnapshot>;
  /** Returns a list if it is in memory and current. */
  readonly current: (
    server: ManagedServer,
    list: ListName,
    maxAgeMs: number | undefined,
  ) => ListSnapshot | undefined;
  /** Makes the next reader request the list again. */
  readonly expire: (server: ManagedServer, list: ListName) => void;
}

export function createServerLists(supervisor: Supervisor, parts: ListParts): ServerLists {
  const known = new WeakMap<ManagedServer, Map<ListName, CachedList>>();
  const listsOf = (event: Parameters<typeof serverOf>[1]): [ListName, CachedList][] => {
    const server = serverOf(supervisor, event);
    return server ? [...(known.get(server) ?? [])] : [];
  };
  const knownList = (server: ManagedServer, list: ListName): CachedList => {
    const lists = known.get(server) ?? new Map<ListName, CachedList>();
    known.set(server, lists);
    const found = lists.get(list) ?? new CachedList(list, server, parts);
    lists.set(list, found);
    return found;
  };
  supervisor.subscribe((event) => {
    if (event.kind === 'session-opened') for (const [, list] of listsOf(event)) list.onNewSession();
    if (event.kind !== 'notification') return;
    for (const [name, list] of listsOf(event)) {
      const method = `notifications/${LISTS[name].capability}/list_changed`;
      if (event.method === method) list.expire({ announced: true });
    }
  });
  return {
    current: (server, list, maxAgeMs) => known.get(server)?.get(list)?.current(maxAgeMs),
    read: (server, list, reader) => knownList(server, list).read(reader),
    expire: (server, list) => knownList(server, list).expire({ announced: false }),
  };
}
