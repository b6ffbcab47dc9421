import type { ListName } from '../shapes/check-list.ts';
import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import { KnownList, type ListParts } from './known-list.ts';
import type { ListReader, ListSnapshot } from './list-reader.ts';
import { LISTS } from './request-list.ts';

/** The lists of all servers, as last listed. */
export interface ServerLists {
  readonly read: (server: ManagedServer, list: ListName, reader: ListReader) => Promise<ListSnapshot>;
  /** The next reader requests the list again. */
  readonly expire: (server: ManagedServer, list: ListName) => void;
}

export function createServerLists(supervisor: Supervisor, parts: ListParts): ServerLists {
  const known = new WeakMap<ManagedServer, Map<ListName, KnownList>>();
  const listsOf = (name: string): [ListName, KnownList][] => {
    const server = supervisor.get(name);
    return server ? [...(known.get(server) ?? [])] : [];
  };
  const knownList = (server: ManagedServer, list: ListName): KnownList => {
    const lists = known.get(server) ?? new Map<ListName, KnownList>();
    known.set(server, lists);
    const found = lists.get(list) ?? new KnownList(list, server, parts);
    lists.set(list, found);
    return found;
  };
  supervisor.subscribe((event) => {
    if (event.kind === 'session-opened') for (const [, list] of listsOf(event.server)) list.onNewSession();
    if (event.kind !== 'notification') return;
    for (const [name, list] of listsOf(event.server)) {
      const method = `notifications/${LISTS[name].capability}/list_changed`;
      if (event.method === method) list.expire({ announced: true });
    }
  });
  return {
    read: (server, list, reader) => knownList(server, list).read(reader),
    expire: (server, list) => knownList(server, list).expire({ announced: false }),
  };
}
