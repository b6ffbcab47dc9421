import { randomBytes } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** A client that can read what was cut from its results. Other clients of the same user cannot. */
export interface ResultOwner {
  /** The client's key. The limits apply to all its sessions together. */
  readonly key: string;
  /** The path that the client uses. */
  readonly path: string;
  /** The client's session; undefined for clients without sessions. */
  readonly session: object | undefined;
}

/** What was cut from a result. */
export interface KeptPart {
  /** What it is from: tools and prompts with their names on their servers, and resources with their URIs. */
  readonly sources: readonly {
    readonly server: string;
    readonly kind: 'tool' | 'prompt' | 'resource';
    readonly name: string;
  }[];
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
  /** Characters and number of the parts of one key. */
  readonly perKey: number;
  readonly partsPerKey: number;
  /** Time after the last access. */
  readonly unusedMs: number;
}

const LIMITS: Limits = {
  total: 64 * 1_048_576,
  perKey: 16 * 1_048_576,
  partsPerKey: 256,
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
  let total = 0;
  const remove = (id: string, { part }: Entry): void => {
    entries.delete(id);
    total -= part.size;
  };
  const dropExpired = (): void => {
    const oldest = clock.now() - limits.unusedMs;
    for (const [id, entry] of entries) {
      if (entry.usedAt > oldest) return;
      remove(id, entry);
    }
  };
  /** Makes space among the parts of a key. */
  const dropOwn = (key: string, size: number): void => {
    const own = [...entries].filter(([, { owner }]) => owner.key === key);
    let [count, characters] = [own.length, 0];
    for (const [, { part }] of own) characters += part.size;
    for (const [id, entry] of own) {
      if (count < limits.partsPerKey && characters + size <= limits.perKey) return;
      remove(id, entry);
      count -= 1;
      characters -= entry.part.size;
    }
  };
  const dropOldest = (size: number): void => {
    for (const [id, entry] of entries) {
      if (total + size <= limits.total) return;
      remove(id, entry);
    }
  };
  return {
    keep(owner, part) {
      if (part.size > limits.perKey) return undefined;
      dropExpired();
      dropOwn(owner.key, part.size);
      dropOldest(part.size);
      const id = randomBytes(ID_BYTES).toString('base64url');
      entries.set(id, { owner, part, usedAt: clock.now() });
      total += part.size;
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
      for (const [id, entry] of entries) if (entry.owner.session === session) remove(id, entry);
    },
  };
}

const isSameOwner = (one: ResultOwner, other: ResultOwner): boolean =>
  one.session === other.session && one.key === other.key && one.path === other.path;
