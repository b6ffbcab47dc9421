import type { ThreadLink } from '#serve/threads/thread-link.ts';
import type { OwnCall } from './wires/wire.ts';

// Many agents send back only the calls that they have run, without the calls of the gateway's tools in the same response. The model would
// then repeat these calls. The gateway therefore keeps what the model has written and received, in memory, keyed by the user and the ID of
// the client's call. After a restart, or on another gateway, the model only knows what the client sends.

/** Maximum total size of all turns, in characters. Those that were used least recently are dropped first. */
const MAX_SIZE = 64 * 1024 * 1024;
/** Maximum share of one user, so that a single user cannot displace the turns of all others. */
const MAX_SHARE = 1 / 8;

/** Turns that ended with calls of the client, as JSON, which keeps long numbers. */
interface KeptTurns {
  readonly calls: readonly OwnCall[];
  readonly turns: string;
}

interface Turn {
  readonly owner: string;
  readonly key: string;
  readonly kept: KeptTurns;
  readonly size: number;
}

/** Turns in the order of their last use, with their total size. */
class Turns {
  readonly #turns = new Map<string, Turn>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(key: string): Turn | undefined {
    return this.#turns.get(key);
  }

  add(turn: Turn): void {
    this.#turns.set(turn.key, turn);
    this.#size += turn.size;
  }

  delete(key: string): void {
    this.#size -= this.#turns.get(key)?.size ?? 0;
    this.#turns.delete(key);
  }

  oldest(): Turn {
    const [first] = this.#turns.values();
    if (!first) throw new Error('There are no turns.');
    return first;
  }
}

/** What the gateway remembers about responses that ended with calls of the client. */
export interface ToolMemory {
  /** Resolves when all threads can find the turns. */
  keep(owner: string, kept: KeptTurns): Promise<void>;
  /** Finds the turns of one user by the IDs of their first calls. */
  find(owner: string, ids: readonly string[]): Promise<readonly (KeptTurns | undefined)[]>;
}

/** Offered by the main thread, because the requests of one client arrive in any thread. */
export interface ToolMemoryFunctions {
  keepToolTurns(owner: string, kept: KeptTurns): Promise<void>;
  findToolTurns(owner: string, ids: readonly string[]): Promise<readonly (KeptTurns | undefined)[]>;
}

export function createToolMemory(maxSize = MAX_SIZE): ToolMemory {
  /** Of all users, and of each one. */
  const all = new Turns();
  const byOwner = new Map<string, Turns>();
  const forget = (owner: string, key: string): void => {
    all.delete(key);
    const own = byOwner.get(owner);
    own?.delete(key);
    if (own?.size === 0) byOwner.delete(owner);
  };
  const add = (turn: Turn): void => {
    const { owner, key } = turn;
    forget(owner, key);
    all.add(turn);
    const own = byOwner.get(owner) ?? new Turns();
    byOwner.set(owner, own);
    own.add(turn);
    while (own.size > maxSize * MAX_SHARE) forgetOldest(own);
    while (all.size > maxSize) forgetOldest(all);
  };
  const forgetOldest = (turns: Turns): void => {
    const { owner, key } = turns.oldest();
    forget(owner, key);
  };
  const keyOf = (owner: string, id: string): string => JSON.stringify([owner, id]);
  const find = (owner: string, id: string): KeptTurns | undefined => {
    const found = all.find(keyOf(owner, id));
    if (found) add(found);
    return found?.kept;
  };
  const keep = (owner: string, kept: KeptTurns): void => {
    const [first] = kept.calls;
    if (!first) return;
    // A client can refer to a call by the ID of its item only.
    for (const id of new Set([first.id, first.itemId ?? first.id])) {
      const key = keyOf(owner, id);
      add({ owner, key, kept, size: key.length + kept.turns.length });
    }
  };
  return {
    keep: async (owner, kept) => await Promise.resolve(keep(owner, kept)),
    find: async (owner, ids) => await Promise.resolve(ids.map((id) => find(owner, id))),
  };
}

export const offerToolMemory = (memory: ToolMemory): ToolMemoryFunctions => ({
  keepToolTurns: async (owner, kept) => await memory.keep(owner, kept),
  findToolTurns: async (owner, ids) => await memory.find(owner, ids),
});

/** Returns the memory of the main thread, for a serving thread. */
export const createThreadToolMemory = (link: ThreadLink<ToolMemoryFunctions>): ToolMemory => ({
  keep: async (owner, kept) => await link.call('keepToolTurns', owner, kept),
  find: async (owner, ids) => await link.call('findToolTurns', owner, ids),
});
