import { isDeepStrictEqual } from 'node:util';
import type { Cancellation } from '#core/limits/cancellation.ts';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { waitFor } from '#platform/wait-for.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { SavedList } from '../saved-lists/saved-copy.ts';
import { serverIdentity } from '../saved-lists/server-identity.ts';
import type { CheckList } from '../shapes/check-list.ts';
import type { ListName } from '../shared/list-items.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { type Connection, SessionExpired, TimeoutFailure } from '../upstream/connection.ts';
import { digestOf, LISTS, requestList } from './request-list.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** Maximum time that a reader waits if a cached list exists. */
const MAX_WAIT_MS = 1000;

export interface ListParts {
  readonly clock: Clock;
  readonly checkList: CheckList;
}

interface Known extends ListSnapshot {
  readonly faults: readonly string[];
  /** Hash of the list as the server sent it; undefined if the list was loaded from its file. */
  readonly digest: string | undefined;
  /** Hash of the items as clients get them. */
  readonly itemsDigest: string;
  readonly maxAge: number;
  /** Undefined if the list was loaded from its file. */
  readonly connection: Connection | undefined;
  readonly launch: ServerSpec['launch'];
  readonly identity: string;
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
export class CachedList {
  readonly #list: ListName;
  readonly #server: ManagedServer;
  readonly #parts: ListParts;
  readonly #onTaken: () => void;
  #known: Known | undefined;
  #expired = false;
  /** Whether clients were notified of the change. */
  #announced = false;
  #listing: Listing | undefined;
  /** Whether the server missed a deadline. Readers do not wait for it until it responds again. */
  #late = false;
  /** Whether a reader did not get the list, and must be notified when it is known. */
  #missed = false;

  /** `onTaken` is called after each response of the server. */
  constructor(list: ListName, server: ManagedServer, parts: ListParts, onTaken: () => void) {
    this.#list = list;
    this.#server = server;
    this.#parts = parts;
    this.#onTaken = onTaken;
  }

  /** Makes the next reader request the list again. */
  expire({ announced }: { readonly announced: boolean }): void {
    this.#expired = true;
    this.#announced ||= announced;
    if (this.#listing) this.#listing.outdated = true;
  }

  /** `announced`: whether clients were notified that the lists may have changed. */
  onNewSession({ announced }: { readonly announced: boolean }): void {
    this.#late = false;
    this.expire({ announced });
  }

  /** The latest list, for clients while the server is stopped; undefined if its definition has changed. */
  latest(): Known | undefined {
    const known = this.#usable();
    return known?.identity === serverIdentity(this.#server.spec()) ? known : undefined;
  }

  /** Sets the list from its file, unless the server has meanwhile responded. */
  async restore(saved: SavedList): Promise<void> {
    const spec = this.#server.spec();
    const { items, faults } = await this.#parts.checkList(this.#list, saved.items);
    if (this.latest()) return;
    this.#known = {
      items,
      faults: [...saved.faults, ...faults],
      digest: undefined,
      itemsDigest: digestOf(items),
      // The clock may have been set back since.
      listedAt: Math.min(saved.listedAt, this.#parts.clock.now()),
      maxAge: 0,
      connection: undefined,
      launch: spec.launch,
      identity: serverIdentity(spec),
    };
    this.#server.listFaults.report(this.#list, this.#known.faults, { isFirstPage: true });
  }

  /** Records that a reader continued without the list. */
  miss(): void {
    this.#missed = true;
  }

  /** Returns the cached list if current; undefined if it must be requested. */
  current(maxAgeMs: number | undefined): ListSnapshot | undefined {
    const [known, connection] = [this.#usable(), this.#server.openConnection()];
    return known && connection && this.#isFresh(known, connection, maxAgeMs) ? known : undefined;
  }

  async read(reader: ListReader): Promise<ListSnapshot> {
    const known = reader.isCall === true ? this.#ofSession() : this.#usable();
    try {
      return await this.#current(reader, known);
    } catch (error) {
      if (!known) this.miss();
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
    const spec = this.#server.spec();
    const { items, digest, maxAge } = await requestList(connection, this.#list, {
      clock,
      timeoutMs: spec.timeouts.request,
    });
    const known = this.#known;
    // An unchanged list is not checked again, because schema validation is slow.
    const same = known?.digest === digest ? known : undefined;
    const { items: checked, faults } = same ?? (await checkList(this.#list, items));
    return {
      items: checked,
      faults,
      digest,
      itemsDigest: same?.itemsDigest ?? digestOf(checked),
      maxAge,
      listedAt,
      connection,
      launch: spec.launch,
      identity: serverIdentity(spec),
    };
  }

  #take(fresh: Known, { outdated }: Listing): void {
    const before = this.#known;
    if (before && before.listedAt > fresh.listedAt) return;
    const late = this.#late;
    const changed = before ? before.itemsDigest !== fresh.itemsDigest : late || this.#missed;
    const announced = this.#announced && !late;
    this.#known = fresh;
    this.#expired = outdated;
    this.#announced &&= outdated;
    this.#late = false;
    this.#missed = false;
    this.#server.listFaults.report(this.#list, fresh.faults, { isFirstPage: true });
    if (late) this.#logRecovery(fresh);
    if (changed && !announced) this.#server.announceChange(this.#list);
    this.#onTaken();
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

  /**
   * Returns the cached list if it is from the open session. A call must not rely on an earlier session, because
   * the program can have changed since, and pins and approvals are decided by the definitions.
   */
  #ofSession(): Known | undefined {
    const known = this.#usable();
    return known?.connection !== undefined && known.connection === this.#server.openConnection()
      ? known
      : undefined;
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
  /** Whether the list decides about a call: it must then be from the open session, and starts the server. */
  readonly isCall?: boolean | undefined;
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
