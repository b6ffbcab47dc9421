import type { ThreadLink } from '#serve/threads/thread-link.ts';
import type { OwnCall } from './wires/wire.ts';

// Many agents send back only the calls that they have run, without the calls of the gateway's tools in the same response. The model would
// then repeat these calls. The gateway therefore keeps what the model has written and received, in memory, keyed by the user and the ID of
// the client's call. After a restart, or on another gateway, the model only knows what the client sends.

/** Maximum total size of all turns, in characters. Those that were used least recently are dropped first. */
const MAX_SIZE = 64 * 1024 * 1024;

/** Turns that ended with calls of the client, as JSON, which keeps long numbers. */
interface KeptTurns {
  readonly calls: readonly OwnCall[];
  readonly turns: string;
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
  const all = new Map<string, { readonly kept: KeptTurns; readonly size: number }>();
  let size = 0;
  const keyOf = (owner: string, id: string): string => JSON.stringify([owner, id]);
  const forget = (key: string): void => {
    size -= all.get(key)?.size ?? 0;
    all.delete(key);
  };
  const find = (owner: string, id: string): KeptTurns | undefined => {
    const key = keyOf(owner, id);
    const found = all.get(key);
    if (!found) return undefined;
    all.delete(key);
    all.set(key, found);
    return found.kept;
  };
  const keep = (owner: string, kept: KeptTurns): void => {
    const [first] = kept.calls;
    if (!first) return;
    // A client can refer to a call by the ID of its item only.
    for (const id of new Set([first.id, first.itemId ?? first.id])) {
      const key = keyOf(owner, id);
      forget(key);
      const added = key.length + kept.turns.length;
      if (added > maxSize) continue;
      all.set(key, { kept, size: added });
      size += added;
    }
    for (const [oldest] of all) {
      if (size <= maxSize) return;
      forget(oldest);
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
