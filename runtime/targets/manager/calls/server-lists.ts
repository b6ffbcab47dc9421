import {
  type ManagedServer,
  type ServerEvent,
  serverOf,
  type Supervisor,
} from '../supervisor/managed-server.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { PeerInfo } from '../upstream/connection.ts';
import { CachedList, type ListParts, type ListReader, type ListSnapshot } from './cached-list.ts';
import { LISTS } from './request-list.ts';
import type { ScanGuard } from '../scanning/guard.ts';
import { createSleepingLists, isAsleep, type SleepingParts } from './sleeping-lists.ts';

/** The lists of all servers. Lists of a lazy server that is stopped come from its last session. */
export interface ServerLists {
  readonly read: (server: ManagedServer, list: ListName, reader: ListReader) => Promise<ListSnapshot>;
  /** Returns a list if it is cached and current. */
  readonly current: (
    server: ManagedServer,
    list: ListName,
    maxAgeMs: number | undefined,
  ) => ListSnapshot | undefined;
  /** Returns the latest list of a server if `isAsleep`, without waiting. */
  readonly asleep: (server: ManagedServer, list: ListName) => ListSnapshot | undefined;
  /** Returns what a server reported about itself: in its open session or, if `isAsleep`, in its last one. */
  readonly peer: (server: ManagedServer, reader: ListReader) => Promise<PeerInfo>;
  /** Makes the next reader request the list again. */
  readonly expire: (server: ManagedServer, list: ListName) => void;
  /** Resolves when all lists are saved. */
  readonly close: () => Promise<void>;
  readonly guard: ScanGuard;
}

export interface ServerListParts extends ListParts, SleepingParts {
  /** Decides which items clients get. */
  readonly guard: ScanGuard;
}

export function createServerLists(supervisor: Supervisor, parts: ServerListParts): ServerLists {
  const known = new WeakMap<ManagedServer, Map<ListName, CachedList>>();
  const listsOf = (event: Parameters<typeof serverOf>[1]): [ListName, CachedList][] => {
    const server = serverOf(supervisor, event);
    return server ? [...(known.get(server) ?? [])] : [];
  };
  const knownList = (server: ManagedServer, list: ListName): CachedList => {
    const lists = known.get(server) ?? new Map<ListName, CachedList>();
    known.set(server, lists);
    const found = lists.get(list) ?? new CachedList(list, server, parts, () => sleeping.taken(server));
    lists.set(list, found);
    return found;
  };
  const sleeping = createSleepingLists(supervisor, knownList, parts);
  const onNotification = (event: Extract<ServerEvent, { readonly kind: 'notification' }>): void => {
    for (const [name, list] of listsOf(event)) {
      const method = `notifications/${LISTS[name].capability}/list_changed`;
      if (event.method === method) list.expire({ announced: true });
    }
  };
  supervisor.subscribe((event) => {
    if (event.kind === 'notification') onNotification(event);
    if (event.kind === 'session-opened') {
      // Clients of a lazy server are only notified if its lists differ from those that they got while it was
      // stopped.
      const announced = serverOf(supervisor, event)?.spec().lazy !== true;
      for (const [, list] of listsOf(event)) list.onNewSession({ announced });
    }
    sleeping.onEvent(event);
  });
  const { guard } = parts;
  const whole = { isWhole: true };
  /** The items of a list that clients get; undefined if the list was not scanned yet. */
  const scanned = (
    server: ManagedServer,
    list: ListName,
    snapshot: ListSnapshot | undefined,
  ): ListSnapshot | undefined => {
    const items = snapshot && guard.knownItems(server, list, snapshot.items, whole);
    return items && { items, listedAt: snapshot.listedAt };
  };
  const readAll: ServerLists['read'] = async (server, list, reader) => {
    const found = knownList(server, list);
    if (reader.isCall === true || !isAsleep(server)) return await found.read(reader);
    return (await sleeping.latest(server, list, reader)) ?? (await found.read(reader));
  };
  return {
    current: (server, list, maxAgeMs) =>
      scanned(server, list, known.get(server)?.get(list)?.current(maxAgeMs)),
    asleep: (server, list) =>
      scanned(server, list, isAsleep(server) ? known.get(server)?.get(list)?.latest() : undefined),
    async read(server, list, reader) {
      const { items, listedAt } = await readAll(server, list, reader);
      return { items: await guard.items(server, list, items, whole), listedAt };
    },
    async peer(server, reader) {
      const last = isAsleep(server) ? await sleeping.peer(server, reader) : undefined;
      if (last) return last;
      const { timeLeft, signal } = reader;
      return (await server.connection({ timeoutMs: timeLeft(), signal })).peer;
    },
    expire: (server, list) => knownList(server, list).expire({ announced: false }),
    close: () => sleeping.close(),
    guard,
  };
}
