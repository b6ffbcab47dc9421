import type { Cancellation } from '#core/limits/cancellation.ts';
import type { ListName, CheckList } from '../shapes/check-list.ts';
import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import { LISTS, requestList } from './request-list.ts';
import { serverOf } from '../supervisor/managed-server.ts';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { waitFor } from '#platform/wait-for.ts';
import type { ServerSpec } from '../config/spec.ts';
import { type Connection, SessionExpired, TimeoutFailure } from '../upstream/connection.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** The cached lists of all servers. */
export interface ServerLists {
  readonly read: (server: ManagedServer, list: ListName, reader: ListReader) => Promise<ListSnapshot>;
  /** Returns a list if it is cached and current. */
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

/** Maximum time that a reader waits if a cached list exists. */
const MAX_WAIT_MS = 1000;

interface ListParts {
  readonly clock: Clock;
  readonly checkList: CheckList;
}

interface Known extends ListSnapshot {
  readonly faults: readonly string[];
  readonly digest: string;
  readonly maxAge: number;
  readonly connection: Connection;
  readonly launch: ServerSpec['launch'];
}

interface Listing {
  readonly connection: Connection;
  readonly startedAt: number;
  readonly result: Promise<Known>;
  /** Whether the list expired after it was requested. */
  outdated: boolean;
}

/**
 * The cache for one list of one server. Readers share one request for the list, which continues when they
 * leave. While the server does not respond, readers get the cached list.
 */
class CachedList {
  readonly #list: ListName;
  readonly #server: ManagedServer;
  readonly #parts: ListParts;
  #known: Known | undefined;
  #expired = false;
  /** Whether clients were notified of the change. */
  #announced = false;
  #listing: Listing | undefined;
  /** Whether the server missed a deadline. Readers do not wait for it until it responds again. */
  #late = false;

  constructor(list: ListName, server: ManagedServer, parts: ListParts) {
    this.#list = list;
    this.#server = server;
    this.#parts = parts;
  }

  /** Makes the next reader request the list again. */
  expire({ announced }: { readonly announced: boolean }): void {
    this.#expired = true;
    this.#announced ||= announced;
    if (this.#listing) this.#listing.outdated = true;
  }

  onNewSession(): void {
    this.#late = false;
    this.expire({ announced: true });
  }

  /** Returns the cached list if current; undefined if it must be requested. */
  current(maxAgeMs: number | undefined): ListSnapshot | undefined {
    const [known, connection] = [this.#usable(), this.#server.openConnection()];
    return known && connection && this.#isFresh(known, connection, maxAgeMs) ? known : undefined;
  }

  async read(reader: ListReader): Promise<ListSnapshot> {
    const known = this.#usable();
    try {
      return await this.#current(reader, known);
    } catch (error) {
      if (!this.#isLate(error)) throw error;
      this.#setLate(known);
      if (known) return known;
      throw error;
    }
  }

  async #current(reader: ListReader, known: Known | undefined): Promise<Known> {
    const { timeLeft, signal, waitLimits } = reader;
    const { clock } = this.#parts;
    const maxWait = (unknownMs: number | undefined): number => {
      if (!known && unknownMs === undefined) return timeLeft();
      return this.#late ? 0 : Math.min(timeLeft(), known ? MAX_WAIT_MS : (unknownMs ?? 0));
    };
    const connection = await this.#server.connection({ timeoutMs: maxWait(waitLimits?.startMs), signal });
    if (known && this.#isFresh(known, connection, reader.maxAgeMs)) return known;
    const listing = this.#join(connection);
    const timeoutMs = Math.max(0, maxWait(waitLimits?.listMs) - (clock.now() - listing.startedAt));
    const late = (): Error =>
      new TimeoutFailure(
        `The server did not respond to ${LISTS[this.#list].method} within ${Math.ceil(timeoutMs)} ms.`,
      );
    if (timeoutMs === 0) throw late();
    try {
      return await waitFor(listing.result, { clock, timeoutMs, signal, late });
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw error;
      await connection.closed;
      return this.#current(reader, known);
    }
  }

  /** Joins the request in flight, or starts one. No second request is sent to an unresponsive server. */
  #join(connection: Connection): Listing {
    const current = this.#listing;
    if (current?.connection === connection && (!current.outdated || this.#late)) return current;
    const startedAt = this.#parts.clock.now();
    const result = this.#request(connection, startedAt);
    const listing: Listing = { connection, startedAt, outdated: false, result };
    this.#listing = listing;
    const forget = (): void => {
      if (this.#listing === listing) this.#listing = undefined;
    };
    result
      .then(
        (fresh) => this.#take(fresh, listing),
        () => undefined,
      )
      .finally(forget);
    return listing;
  }

  async #request(connection: Connection, listedAt: number): Promise<Known> {
    const { clock, checkList } = this.#parts;
    const { launch, timeouts } = this.#server.spec();
    const { items, digest, maxAge } = await requestList(connection, this.#list, {
      clock,
      timeoutMs: timeouts.request,
    });
    const before = this.#known;
    // An unchanged list is not checked again, because schema validation is slow.
    const checked = before?.digest === digest ? before : await checkList(this.#list, items);
    return {
      items: checked.items,
      faults: checked.faults,
      digest,
      maxAge,
      listedAt,
      connection,
      launch,
    };
  }

  #take(fresh: Known, { outdated }: Listing): void {
    const before = this.#known;
    if (before && before.listedAt > fresh.listedAt) return;
    const late = this.#late;
    const changed = before ? before.digest !== fresh.digest : late;
    const announced = this.#announced && !late;
    this.#known = fresh;
    this.#expired = outdated;
    this.#announced &&= outdated;
    this.#late = false;
    this.#server.listFaults.report(this.#list, fresh.faults, { isFirstPage: true });
    if (late) this.#logRecovery(fresh);
    if (changed && !announced) this.#server.announceChange(this.#list);
  }

  #isFresh({ connection, listedAt, maxAge }: Known, current: Connection, maxAgeMs = 0): boolean {
    const age = this.#parts.clock.now() - listedAt;
    return !this.#expired && connection === current && age < Math.max(maxAge, maxAgeMs);
  }

  /** Returns the cached list, unless the server name now refers to another program. */
  #usable(): Known | undefined {
    const known = this.#known;
    if (!known) return undefined;
    const { launch } = this.#server.spec();
    return known.launch === launch || isDeepStrictEqual(known.launch, launch) ? known : undefined;
  }

  #isLate(error: unknown): boolean {
    if (error instanceof TimeoutFailure) return true;
    const starts = ['installing', 'starting'].includes(this.#server.status().phase);
    return starts && error instanceof AppError && error.code === 'UnavailableError';
  }

  #setLate(known: Known | undefined): void {
    if (this.#late) return;
    this.#late = true;
    // The slow start is already in the server's log.
    if (this.#server.status().phase !== 'running') return;
    const instead = known
      ? `clients get the cached list (${known.items.length} items)`
      : 'lists of all servers omit this server';
    this.#server.log('warn', `${LISTS[this.#list].method} timed out; ${instead} until the server responds`);
  }

  #logRecovery({ listedAt }: Known): void {
    const seconds = ((this.#parts.clock.now() - listedAt) / 1000).toFixed(1);
    this.#server.log('info', `${LISTS[this.#list].method} completed after ${seconds} s`);
  }
}

/** A read of a list. */
export interface ListReader {
  readonly timeLeft: () => number;
  readonly signal?: Cancellation | undefined;
  /** Time limits for readers that can continue without the list. */
  readonly waitLimits?: ListWaitLimits | undefined;
  /** Maximum age of a cached list, if larger than the list's own. */
  readonly maxAgeMs?: number | undefined;
}

export interface ListWaitLimits {
  /** Maximum time for a server to start. */
  readonly startMs: number;
  /** Maximum time for its first list, counted from the request. */
  readonly listMs: number;
}

/** A server's list at some point in time; items are repaired, or omitted if malformed. */
export interface ListSnapshot {
  readonly items: readonly ShapeOfParams[];
  readonly listedAt: number;
}
