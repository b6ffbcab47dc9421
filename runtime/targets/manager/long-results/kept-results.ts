import { randomBytes } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** A client that can read what was cut from its results. Other clients of the same user cannot. */
export interface ResultOwner {
  /** The client's key and path. */
  readonly client: string;
  /** The client's session; undefined for clients without sessions. */
  readonly session: object | undefined;
}

/** What was cut from a result. */
export interface KeptPart {
  readonly server: string;
  /** The tool's name on its server. */
  readonly tool: string;
  /** The complete text, or the contents of a binary resource. */
  readonly data: string | ShapeOfParams;
  readonly size: number;
}

/** Parts of long results, in memory. The oldest parts are dropped when a limit is reached. */
export interface KeptResults {
  /** Returns the ID to read the part with; undefined if it is too large to be kept. */
  keep(owner: ResultOwner, part: KeptPart): string | undefined;
  /** Returns a part for its owner. Unknown, expired and other clients' IDs are not distinguished. */
  read(owner: ResultOwner, id: string): KeptPart | undefined;
  /** Drops everything that belongs to a session. */
  drop(session: object): void;
}

interface Limits {
  /** Characters of all parts. */
  readonly total: number;
  /** Characters and number of the parts of one client. */
  readonly perClient: number;
  readonly partsPerClient: number;
  /** Time after the last access. */
  readonly unusedMs: number;
}

const LIMITS: Limits = {
  total: 64 * 1_048_576,
  perClient: 16 * 1_048_576,
  partsPerClient: 64,
  unusedMs: 600_000,
};

const ID_BYTES = 18;

interface Entry {
  readonly owner: ResultOwner;
  readonly part: KeptPart;
  usedAt: number;
}

export function createKeptResults(clock: Clock, limits: Limits = LIMITS): KeptResults {
  /** Ordered by last use. */
  const entries = new Map<string, Entry>();
  const sizeOf = (some: Iterable<Entry>): number => {
    let size = 0;
    for (const { part } of some) size += part.size;
    return size;
  };
  const dropExpired = (): void => {
    const oldest = clock.now() - limits.unusedMs;
    for (const [id, { usedAt }] of entries) {
      if (usedAt > oldest) return;
      entries.delete(id);
    }
  };
  const dropOldest = (isOver: () => boolean, isCandidate: (entry: Entry) => boolean): void => {
    for (const [id, entry] of entries) {
      if (!isOver()) return;
      if (isCandidate(entry)) entries.delete(id);
    }
  };
  return {
    keep(owner, part) {
      if (part.size > limits.perClient) return undefined;
      dropExpired();
      const isOwn = (entry: Entry): boolean => isSameOwner(entry.owner, owner);
      const own = (): Entry[] => [...entries.values()].filter(isOwn);
      dropOldest(
        () => own().length >= limits.partsPerClient || sizeOf(own()) + part.size > limits.perClient,
        isOwn,
      );
      dropOldest(
        () => sizeOf(entries.values()) + part.size > limits.total,
        () => true,
      );
      const id = randomBytes(ID_BYTES).toString('base64url');
      entries.set(id, { owner, part, usedAt: clock.now() });
      return id;
    },
    read(owner, id) {
      dropExpired();
      const entry = entries.get(id);
      if (!entry || !isSameOwner(entry.owner, owner)) return undefined;
      entry.usedAt = clock.now();
      entries.delete(id);
      entries.set(id, entry);
      return entry.part;
    },
    drop(session) {
      for (const [id, { owner }] of entries) if (owner.session === session) entries.delete(id);
    },
  };
}

const isSameOwner = (one: ResultOwner, other: ResultOwner): boolean =>
  one.session === other.session && one.client === other.client;
