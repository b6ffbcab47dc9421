import type { CacheEntry } from './cache-entry.ts';

/** Answers in memory. If they need too much of it, those that were not used for the longest time are deleted. */
export interface MemoryEntries {
  get(key: string): CacheEntry | undefined;
  put(entry: CacheEntry, maxBytes: number): void;
  delete(key: string): void;
}

/** Estimated memory of an entry besides its body. */
export const ENTRY_BYTES = 500;

export function createMemoryEntries(): MemoryEntries {
  /** The one that was used last is at the end. */
  const entries = new Map<string, CacheEntry>();
  let bytes = 0;
  const sizeOf = ({ body }: CacheEntry): number => body.length + ENTRY_BYTES;
  const remove = (key: string): void => {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    bytes -= sizeOf(entry);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    put(entry, maxBytes) {
      remove(entry.key);
      entries.set(entry.key, entry);
      bytes += sizeOf(entry);
      for (const key of entries.keys()) {
        if (bytes <= maxBytes) return;
        remove(key);
      }
    },
    delete: remove,
  };
}
