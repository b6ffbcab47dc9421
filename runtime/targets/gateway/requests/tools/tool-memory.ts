import type { Recall, RememberedTurns } from './wires/wire.ts';

// Many agents send back only the calls that they have run, without the calls of the gateway's tools in the same response. The model would
// then repeat these calls. The gateway therefore keeps what the model has said and received, in memory, keyed by the user and the ID of
// the client's call. After a restart, or on another gateway, the model only knows what the client sends.

/** Maximum total size of all turns, in characters. Those that were used least recently are dropped first. */
const MAX_SIZE = 64 * 1024 * 1024;

/** What the gateway remembers about responses that ended with calls of the client. */
export interface ToolMemory {
  keep(owner: string, turns: RememberedTurns): void;
  /** Finds the turns of one user. */
  recallOf(owner: string): Recall;
}

export function createToolMemory(maxSize = MAX_SIZE): ToolMemory {
  const kept = new Map<string, { readonly turns: RememberedTurns; readonly size: number }>();
  let size = 0;
  const keyOf = (owner: string, id: string): string => JSON.stringify([owner, id]);
  const forget = (key: string): void => {
    size -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  };
  return {
    keep(owner, turns) {
      const [first] = turns.calls;
      if (!first) return;
      const added = JSON.stringify(turns).length;
      // A client can refer to a call by the ID of its item only.
      for (const id of new Set([first.id, first.itemId ?? first.id])) {
        const key = keyOf(owner, id);
        forget(key);
        if (added > maxSize) continue;
        kept.set(key, { turns, size: added });
        size += added;
      }
      for (const [oldest] of kept) {
        if (size <= maxSize) return;
        forget(oldest);
      }
    },
    recallOf: (owner) => (id) => {
      const key = keyOf(owner, id);
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.turns;
    },
  };
}
