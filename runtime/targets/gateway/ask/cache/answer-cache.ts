import type { Kysely } from 'kysely';
import type { Clock } from '../../../../platform/clock.ts';
import type { Schema } from '../../store/schema.ts';
import type { CacheClears } from './cache-clears.ts';
import type { CacheEntry, QuestionVector } from './cache-entry.ts';
import type { CacheSettings } from './cache-settings.ts';
import { createMemoryEntries } from './memory-entries.ts';
import { createSimilarQuestions, type SimilarQuestions } from './similar-questions.ts';
import { createStoredEntries } from './stored-entries.ts';
import { createTidyStored } from './tidy-stored.ts';

/** Answers of models, kept for identical and similar requests. It never throws: without its database, nothing is found. */
export interface AnswerCache {
  /** Returns an answer that is not older than the settings and `maxAgeMs` allow. */
  find(key: string, settings: CacheSettings, maxAgeMs?: number): Promise<CacheEntry | undefined>;
  /** Keeps an answer in memory and, in the background, in the database. */
  keep(entry: CacheEntry, settings: CacheSettings, question?: QuestionVector): void;
  /**
   * Starts the only call for a key. Returns undefined if another request has started it; `waiting` then resolves when that one has
   * ended.
   */
  lead(key: string): (() => void) | undefined;
  waiting(key: string): Promise<void> | undefined;
  readonly similar: SimilarQuestions;
  /** Waits until answers are written. */
  close(): Promise<void>;
}

export interface AnswerCacheParts {
  readonly db: Kysely<Schema>;
  readonly clock: Pick<Clock, 'now'>;
  readonly clears: Pick<CacheClears, 'isCleared'>;
  readonly onError: (error: unknown) => void;
}

export function createAnswerCache({ db, clock: exact, clears, onError }: AnswerCacheParts): AnswerCache {
  // The database has whole milliseconds.
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
  const write = async (
    entry: CacheEntry,
    { maxStoredBytes }: CacheSettings,
    question: QuestionVector | undefined,
  ): Promise<void> => {
    try {
      await tidy(await stored.put(entry, question), maxStoredBytes, clock.now());
    } catch (error) {
      onError(error);
    }
  };
  return {
    similar: createSimilarQuestions({ stored, clock, onError }),
    async find(key, settings, maxAgeMs = Infinity) {
      const limit = Math.min(settings.ttlMs, maxAgeMs);
      const known = memory.get(key);
      try {
        if (known && isFresh(known, limit)) {
          if (!(await clears.isCleared(known))) return known;
          memory.delete(key);
        }
        if (settings.store === 'memory') return undefined;
        const entry = await stored.get(key, clock.now());
        // Another gateway can have written it after it was cleared.
        if (!entry || !isFresh(entry, limit) || (await clears.isCleared(entry))) return undefined;
        memory.put(entry, settings.maxBytes);
        return entry;
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    keep(entry, settings, question) {
      memory.put(entry, settings.maxBytes);
      if (settings.store === 'memory') return;
      const written = write(entry, settings, question).finally(() => writing.delete(written));
      writing.add(written);
    },
    lead(key) {
      if (calls.has(key)) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      calls.set(key, promise);
      return () => {
        calls.delete(key);
        resolve();
      };
    },
    waiting: (key) => calls.get(key),
    async close() {
      await Promise.all(writing);
    },
  };
}
