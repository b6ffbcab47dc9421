import type { Kysely } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import type { Schema } from '../../store/schema.ts';
import type { CacheClears } from '../../accounts/cache-clears.ts';
import {
  type CacheEntry,
  type QuestionVector,
  createMemoryEntries,
  createStoredEntries,
  createTidyStored,
} from './stored-entries.ts';
import type { CacheSettings } from './cache-settings.ts';
import { createSimilarQuestions, type SimilarQuestions } from './similar-questions.ts';

/**
 * Caches model responses for identical and similar requests. Its functions never throw: if the database is
 * unavailable, they find nothing.
 */
export interface AnswerCache {
  /** Returns a cached response whose age does not exceed the maximum in the settings or `maxAgeMs`. */
  find(key: string, settings: CacheSettings, maxAgeMs?: number): Promise<CacheEntry | undefined>;
  /** Same as `find` for several keys, with a single query. */
  findAll(keys: readonly string[], settings: CacheSettings): Promise<readonly (CacheEntry | undefined)[]>;
  /** Keeps a response in memory and, in the background, in the database. */
  keep(entry: CacheEntry, settings: CacheSettings, question?: QuestionVector): void;
  /** Same as `keep` for several responses, with a single query. */
  keepAll(entries: readonly CacheEntry[], settings: CacheSettings): void;
  /** Registers the request as the one that calls the model for a key, if no other request is doing so. */
  lead(key: string): Lead | Promise<Lead>;
  readonly similar: SimilarQuestions;
  /** Waits until all responses have been written to the database. */
  close(): Promise<void>;
}

/** A function to call when the request has ended, or the end of the other request. */
type Lead = { readonly end: () => void } | { readonly otherEnded: Promise<void> };

export interface AnswerCacheParts {
  readonly db: Kysely<Schema>;
  readonly clock: Pick<Clock, 'now'>;
  readonly clears: Pick<CacheClears, 'isCleared'>;
  readonly onError: (error: unknown) => void;
}

export function createAnswerCache({ db, clock: exact, clears, onError }: AnswerCacheParts): AnswerCache {
  // The database stores times in whole milliseconds.
  const clock = { now: () => Math.floor(exact.now()) };
  const memory = createMemoryEntries();
  const stored = createStoredEntries(db);
  const calls = new Map<string, Promise<void>>();
  const writing = new Set<Promise<void>>();
  const tidy = createTidyStored(stored);

  const isFresh = ({ createdAt, expiresAt }: CacheEntry, maxAgeMs: number): boolean => {
    const now = clock.now();
    return expiresAt > now && now - createdAt <= maxAgeMs;
  };
  const findAll = async (
    keys: readonly string[],
    settings: CacheSettings,
    maxAgeMs = Infinity,
  ): Promise<readonly (CacheEntry | undefined)[]> => {
    const limit = Math.min(settings.ttlMs, maxAgeMs);
    const found = new Map<string, CacheEntry>();
    try {
      for (const key of keys) {
        const known = memory.get(key);
        if (!known || !isFresh(known, limit)) continue;
        if (await clears.isCleared(known)) memory.delete(key);
        else found.set(key, known);
      }
      const missing = settings.store === 'memory' ? [] : keys.filter((key) => !found.has(key));
      for (const entry of await stored.get(missing, clock.now())) {
        // Another gateway may have written a response from before the cache was cleared.
        if (!isFresh(entry, limit) || (await clears.isCleared(entry))) continue;
        memory.put(entry, settings.maxBytes);
        found.set(entry.key, entry);
      }
    } catch (error) {
      onError(error);
    }
    return keys.map((key) => found.get(key));
  };
  const write = async (
    entries: readonly CacheEntry[],
    { maxStoredBytes }: CacheSettings,
    question?: QuestionVector,
  ): Promise<void> => {
    try {
      for (const size of await stored.put(entries, question)) await tidy(size, maxStoredBytes, clock.now());
    } catch (error) {
      onError(error);
    }
  };
  const keepAll = (
    entries: readonly CacheEntry[],
    settings: CacheSettings,
    question?: QuestionVector,
  ): void => {
    for (const entry of entries) memory.put(entry, settings.maxBytes);
    if (settings.store === 'memory') return;
    const written = write(entries, settings, question).finally(() => writing.delete(written));
    writing.add(written);
  };
  return {
    similar: createSimilarQuestions({ stored, clock, onError }),
    find: async (key, settings, maxAgeMs) => (await findAll([key], settings, maxAgeMs))[0],
    findAll,
    keep: (entry, settings, question) => keepAll([entry], settings, question),
    keepAll,
    lead(key) {
      const otherEnded = calls.get(key);
      if (otherEnded) return { otherEnded };
      const { promise, resolve } = Promise.withResolvers<void>();
      calls.set(key, promise);
      return {
        end() {
          calls.delete(key);
          resolve();
        },
      };
    },
    async close() {
      await Promise.all(writing);
    },
  };
}
