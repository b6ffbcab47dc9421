import { availableParallelism } from 'node:os';
import { messageOf } from '#contract/errors.ts';
import { least } from '#core/numbers/extremes.ts';
import { TurnQueue } from '#core/limits/turn-queue.ts';
import { settlesWithin, waitFor } from '#platform/wait-for.ts';
import { signsInPerUser, type ServerSpec } from '../config/spec.ts';
import type { SavedCopy } from '../saved-lists/saved-copy.ts';
import type { SavedLists } from '../saved-lists/saved-lists.ts';
import { isSavable, serverIdentity } from '../saved-lists/server-identity.ts';
import type { ListName } from '../shared/list-items.ts';
import {
  type ManagedServer,
  type ServerEvent,
  serverOf,
  type Supervisor,
} from '../supervisor/managed-server.ts';
import { type PeerInfo, TimeoutFailure } from '../upstream/connection.ts';
import type { CachedList, ListParts, ListReader, ListSnapshot } from './cached-list.ts';
import { LISTS } from './request-list.ts';

export interface SleepingParts extends Pick<ListParts, 'clock'> {
  /** Files for the lists of lazy servers. Without them, the lists are lost when the manager stops. */
  readonly saved?: SavedLists | undefined;
}

/** The lists of lazy servers while they are stopped. */
export interface SleepingLists {
  /** Returns a list from the last session. A server that has never listed its items is started once. */
  latest(server: ManagedServer, list: ListName, reader: ListReader): Promise<ListSnapshot | undefined>;
  peer(server: ManagedServer, reader: ListReader): Promise<PeerInfo | undefined>;
  /** Called when a server has returned a list. */
  taken(server: ManagedServer): void;
  onEvent(event: ServerEvent): void;
  /** Resolves when all lists are saved. */
  close(): Promise<void>;
}

/**
 * Whether a server's lists come from its last session: it is lazy and stopped. If a sign-in is missing,
 * only a request can determine whether the server would list anything.
 */
export function isAsleep(server: ManagedServer): boolean {
  const spec = server.spec();
  if (!spec.lazy || spec.launch.kind === 'unusable' || server.openConnection()) return false;
  if (server.valuesProblem()) return false;
  return signsInPerUser(spec) ? server.signIn() === 'signed-in' : server.signIn() !== 'required';
}

/** Maximum number of servers that run at the same time only because of their lists. */
const MAX_LEARNING = Math.max(4, availableParallelism());
/** Maximum time for each list of a server that runs only because of its lists. */
const MAX_LIST_MS = 15_000;
/** Maximum time for the lists of a server that is about to be stopped. */
const MAX_LAST_LISTS_MS = 5000;
/** Minimum time before combined lists start a server again that failed to list its items. */
const RETRY_MS = 60_000;
/** Minimum time before unchanged lists are saved again, which only updates their age. */
const MIN_RESAVE_MS = 600_000;

const LIST_NAMES = Object.keys(LISTS) as ListName[];

interface Failure {
  readonly at: number;
  readonly error: unknown;
  readonly launch: ServerSpec['launch'];
}

interface SleepState {
  /** The identity whose file was read. */
  restoredFor: string | undefined;
  restoring: Promise<void> | undefined;
  peer: { readonly info: PeerInfo; readonly identity: string } | undefined;
  learning: Promise<void> | undefined;
  /** Whether a reader has missed its deadline while waiting for `learning`, so that others do not wait. */
  isLate: boolean;
  readonly failures: Map<ListName, Failure>;
  refreshing: Promise<void> | undefined;
  saving: Promise<void> | undefined;
  isDirty: boolean;
  /** What the file contains, and since when. */
  written: { readonly content: string; readonly at: number } | undefined;
}

const newState = (): SleepState => ({
  restoredFor: undefined,
  restoring: undefined,
  peer: undefined,
  learning: undefined,
  isLate: false,
  failures: new Map(),
  refreshing: undefined,
  saving: undefined,
  isDirty: false,
  written: undefined,
});

export function createSleepingLists(
  supervisor: Supervisor,
  listOf: (server: ManagedServer, list: ListName) => CachedList,
  { clock, saved }: SleepingParts,
): SleepingLists {
  const learners = new TurnQueue(MAX_LEARNING, Number.POSITIVE_INFINITY);
  const states = new WeakMap<ManagedServer, SleepState>();
  const unsaved = new Set<Promise<void>>();
  const stateOf = (server: ManagedServer): SleepState => {
    const state = states.get(server) ?? newState();
    states.set(server, state);
    return state;
  };

  /** Reports the age of a server's lists: that of the oldest one. */
  const reportAge = (server: ManagedServer): void => {
    const times = LIST_NAMES.flatMap((list) => listOf(server, list).latest()?.listedAt ?? []);
    server.reportLists(times.length === 0 ? undefined : least(times));
  };

  /** Loads a server's lists once. A changed definition has another file. */
  async function restore(server: ManagedServer): Promise<void> {
    const spec = server.spec();
    if (!saved || !isSavable(spec)) return;
    const state = stateOf(server);
    const identity = serverIdentity(spec);
    if (state.restoredFor !== identity) {
      state.restoredFor = identity;
      state.restoring = load(server, identity);
    }
    await state.restoring;
  }

  async function load(server: ManagedServer, identity: string): Promise<void> {
    const copy = await saved?.load(server.name, identity);
    if (!copy || serverIdentity(server.spec()) !== identity) return;
    const state = stateOf(server);
    try {
      for (const list of LIST_NAMES) {
        const own = copy.lists[list];
        if (own) await listOf(server, list).restore(own);
      }
      state.peer ??= { info: copy.peer, identity };
    } catch (error) {
      // For example a RangeError, if the items are nested too deeply.
      server.log('warn', `saved lists are ignored: ${messageOf(error)}`);
    }
    reportAge(server);
  }

  /** Requests all lists of a running server, each one at most once per session or change. */
  function refresh(server: ManagedServer): Promise<void> {
    const state = stateOf(server);
    state.refreshing ??= requestAll(server).finally(() => (state.refreshing = undefined));
    return state.refreshing;
  }

  async function requestAll(server: ManagedServer): Promise<void> {
    const { failures } = stateOf(server);
    const { launch, timeouts } = server.spec();
    await Promise.all(
      LIST_NAMES.map(async (list) => {
        if (!server.openConnection()) return;
        try {
          await listOf(server, list).read({ timeLeft: () => Math.min(timeouts.request, MAX_LIST_MS) });
          failures.delete(list);
        } catch (error) {
          failures.set(list, { at: clock.now(), error, launch });
        }
      }),
    );
  }

  /** Starts a server for its lists, and stops it again unless it is used. */
  async function learn(server: ManagedServer): Promise<void> {
    const turn = learners.ask();
    if (turn.kind === 'refused') return;
    try {
      if (turn.kind === 'waiting') await turn.granted;
      const { install, init } = server.spec().timeouts;
      await server.connection({ timeoutMs: install + init });
      await refresh(server);
      await server.sleep();
    } catch (error) {
      const { launch } = server.spec();
      for (const list of LIST_NAMES) stateOf(server).failures.set(list, { at: clock.now(), error, launch });
      throw error;
    } finally {
      turn.leave();
    }
  }

  async function learned(
    server: ManagedServer,
    list: ListName,
    { timeLeft, signal, waitLimits }: ListReader,
  ): Promise<void> {
    const state = stateOf(server);
    const failure = state.failures.get(list);
    const isRecent = failure?.launch === server.spec().launch && clock.now() - failure.at < RETRY_MS;
    // A client that requests the lists of this server alone gets the latest result.
    if (waitLimits && failure && isRecent) throw failure.error;
    state.learning ??= learn(server).finally(() => {
      state.learning = undefined;
      state.isLate = false;
    });
    const patience = waitLimits ? (state.isLate ? 0 : waitLimits.startMs) : timeLeft();
    const late = (): Error => {
      state.isLate = true;
      return new TimeoutFailure(`The server did not list its items within ${Math.ceil(patience)} ms.`);
    };
    await waitFor(state.learning, { clock, timeoutMs: patience, signal, late });
  }

  /** Saves a server's lists after a change, all lists of a session together. */
  function save(server: ManagedServer): Promise<void> {
    const state = stateOf(server);
    state.isDirty = true;
    if (!state.saving) {
      const saving = saveAll(server, state).finally(() => {
        state.saving = undefined;
        unsaved.delete(saving);
      });
      state.saving = saving;
      unsaved.add(saving);
    }
    return state.saving;
  }

  async function saveAll(server: ManagedServer, state: SleepState): Promise<void> {
    while (state.isDirty) {
      await state.refreshing;
      state.isDirty = false;
      await write(server, state);
    }
  }

  async function write(server: ManagedServer, state: SleepState): Promise<void> {
    const identity = serverIdentity(server.spec());
    if (!saved || state.peer?.identity !== identity) return;
    const lists: SavedCopy['lists'] = {};
    const content = [identity];
    for (const name of LIST_NAMES) {
      const latest = listOf(server, name).latest();
      if (!latest) continue;
      const { items, faults, listedAt, itemsDigest } = latest;
      lists[name] = { items: [...items], faults: [...faults], listedAt };
      content.push(name, itemsDigest);
    }
    const written = { content: content.join(' '), at: clock.now() };
    const isWritten = state.written?.content === written.content;
    if (isWritten && written.at - (state.written?.at ?? 0) < MIN_RESAVE_MS) return;
    state.written = written;
    await saved.save(server.name, { identity, peer: state.peer.info, lists });
  }

  /** Requests the lists once more, because not every server announces changes. */
  async function beforeStop(server: ManagedServer): Promise<void> {
    for (const list of LIST_NAMES) listOf(server, list).expire({ announced: false });
    await settlesWithin(MAX_LAST_LISTS_MS, refresh(server), clock);
  }

  const restoreAll = (): void => {
    for (const name of supervisor.names()) {
      const server = supervisor.get(name);
      if (server?.spec().lazy === true) void restore(server);
    }
  };
  restoreAll();

  return {
    async latest(server, list, reader) {
      await restore(server);
      const found = listOf(server, list);
      const latest = found.latest();
      if (latest) return latest;
      try {
        await learned(server, list, reader);
        const failure = stateOf(server).failures.get(list);
        if (!found.latest() && failure) throw failure.error;
      } catch (error) {
        found.miss();
        throw error;
      }
      return found.latest();
    },
    async peer(server, reader) {
      await restore(server);
      const state = stateOf(server);
      const isCurrent = (): boolean => state.peer?.identity === serverIdentity(server.spec());
      if (!isCurrent()) await learned(server, 'tools', reader);
      return isCurrent() ? state.peer?.info : undefined;
    },
    taken(server) {
      const spec = server.spec();
      if (!spec.lazy) return;
      reportAge(server);
      if (saved && isSavable(spec)) void save(server);
    },
    onEvent(event) {
      if (event.kind === 'servers-changed') restoreAll();
      if (event.kind !== 'session-opened' && event.kind !== 'idle') return;
      const server = serverOf(supervisor, event);
      if (server?.spec().lazy !== true) return;
      if (event.kind === 'idle') return event.waitFor(beforeStop(server));
      const info = server.openConnection()?.peer;
      if (info) stateOf(server).peer = { info, identity: serverIdentity(server.spec()) };
      void refresh(server);
    },
    async close() {
      while (unsaved.size > 0) await Promise.all(unsaved);
    },
  };
}
