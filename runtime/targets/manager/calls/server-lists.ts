import {
  type ManagedServer,
  type ServerEvent,
  serverOf,
  type Supervisor,
} from '../supervisor/managed-server.ts';
import { itemName, type ListName } from '../shared/list-items.ts';
import { matchesUriTemplate } from '../shared/uri-template.ts';
import { blocksItems, PinnedItems, refuseChangedItem } from './pinned-items.ts';
import type { PeerInfo } from '../upstream/connection.ts';
import { CachedList, type ListParts, type ListReader, type ListSnapshot } from './cached-list.ts';
import { LISTS } from './request-list.ts';
import type { ScanGuard } from '../scanning/guard.ts';
import { createSleepingLists, isAsleep, type SleepingParts } from './sleeping-lists.ts';

/**
 * Maximum age of a list with which a prompt or resource is compared before its use. Otherwise, each use would request a
 * list; changes that the server announces are noticed immediately.
 */
const MAX_PINNED_AGE_MS = 1000;

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
  /** Returns the items of a page that clients get. */
  readonly visible: (
    server: ManagedServer,
    list: ListName,
    items: ListSnapshot['items'],
    options: { readonly isWhole: boolean },
  ) => Promise<ListSnapshot['items']>;
  /** Rejects the use of an item that differs from its pin. Unlisted names are allowed. */
  readonly requirePinned: (
    server: ManagedServer,
    list: Exclude<ListName, 'tools'>,
    name: string,
    reader: ListReader,
  ) => Promise<void>;
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
  const pinned = new PinnedItems();
  const visible: ServerLists['visible'] = async (server, list, items, options) =>
    pinned.visible(server, list, await guard.items(server, list, items, options), options);
  const whole = { isWhole: true };
  /** The items of a list that clients get; undefined if the list was not scanned yet. */
  const scanned = (
    server: ManagedServer,
    list: ListName,
    snapshot: ListSnapshot | undefined,
  ): ListSnapshot | undefined => {
    const items = snapshot && guard.knownItems(server, list, snapshot.items, whole);
    return items && { items: pinned.visible(server, list, items, whole), listedAt: snapshot.listedAt };
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
      return { items: await visible(server, list, items, whole), listedAt };
    },
    async peer(server, reader) {
      const last = isAsleep(server) ? await sleeping.peer(server, reader) : undefined;
      if (last) return last;
      const { timeLeft, signal } = reader;
      return (await server.connection({ timeoutMs: timeLeft(), signal })).peer;
    },
    visible,
    async requirePinned(server, list, name, reader) {
      const spec = server.spec();
      if (!blocksItems(spec)) return;
      const itemsOf = async (one: ListName): Promise<ListSnapshot['items']> =>
        (await knownList(server, one).read({ ...reader, isCall: true, maxAgeMs: MAX_PINNED_AGE_MS })).items;
      const found = (await itemsOf(list)).find((item) => itemName(list, item) === name);
      if (found) refuseChangedItem(spec, list, found);
      else if (list === 'resources') {
        for (const template of await itemsOf('resourceTemplates')) {
          if (matchesUriTemplate(itemName('resourceTemplates', template), name))
            refuseChangedItem(spec, 'resourceTemplates', template);
        }
      }
    },
    expire: (server, list) => knownList(server, list).expire({ announced: false }),
    close: () => sleeping.close(),
    guard,
  };
}
