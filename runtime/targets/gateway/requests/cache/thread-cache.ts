import { OpenItems } from '#core/limits/open-items.ts';
import type { ThreadLink } from '#serve/threads/thread-link.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { CacheSettings, SemanticSettings } from './cache-settings.ts';
import type { CacheEntry, QuestionVector } from './stored-entries.ts';
import type { Nearest } from './vector-index.ts';

// The response cache of a gateway with several serving threads, which is in the main thread
// (docs/decisions/0160).

/** What a serving thread can call. */
export interface CacheFunctions {
  findAnswers(
    keys: readonly string[],
    settings: CacheSettings,
    maxAgeMs: number | undefined,
  ): Promise<readonly (CacheEntry | undefined)[]>;
  keepAnswers(
    entries: readonly CacheEntry[],
    settings: CacheSettings,
    question: QuestionVector | undefined,
  ): void;
  /** Returns the number of a lead; 0 if another request has it. */
  leadAnswer(key: string): Promise<number>;
  endLead(lead: number): void;
  /** Resolves when the request that leads has ended. */
  untilLed(key: string): Promise<void>;
  nearestQuestion(
    question: QuestionVector,
    settings: CacheSettings,
    semantic: SemanticSettings,
  ): Promise<Nearest | undefined>;
  addQuestion(key: string, question: QuestionVector, expiresAt: number, semantic: SemanticSettings): void;
  deleteQuestion(key: string): void;
}

/** Offers the cache to one serving thread. */
export function offerCache(cache: AnswerCache): CacheFunctions {
  const leads = new OpenItems<number, () => void>();
  let lastLead = 0;
  return {
    async findAnswers(keys, settings, maxAgeMs) {
      const [key] = keys;
      return keys.length === 1 && key !== undefined
        ? [await cache.find(key, settings, maxAgeMs)]
        : await cache.findAll(keys, settings);
    },
    keepAnswers(entries, settings, question) {
      const [entry] = entries;
      if (question && entry) cache.keep(entry, settings, question);
      else cache.keepAll(entries, settings);
    },
    async leadAnswer(key) {
      const lead = await cache.lead(key);
      if (!('end' in lead)) return 0;
      lastLead += 1;
      leads.set(lastLead, lead.end);
      return lastLead;
    },
    endLead(lead) {
      leads.get(lead)?.();
      leads.delete(lead);
    },
    async untilLed(key) {
      const lead = await cache.lead(key);
      if ('end' in lead) lead.end();
      else await lead.otherEnded;
    },
    nearestQuestion: async (question, settings, semantic) =>
      await cache.similar.nearest(question, settings, semantic),
    addQuestion: (key, question, expiresAt, semantic) =>
      cache.similar.add(key, question, expiresAt, semantic),
    deleteQuestion: (key) => cache.similar.delete(key),
  };
}

/** Returns the cache of the main thread, for a serving thread. */
export function createThreadCache(link: ThreadLink<CacheFunctions>): AnswerCache {
  return {
    find: async (key, settings, maxAgeMs) => (await link.call('findAnswers', [key], settings, maxAgeMs))[0],
    findAll: async (keys, settings) => await link.call('findAnswers', keys, settings, undefined),
    keep: (entry, settings, question) => link.tell('keepAnswers', [detached(entry)], settings, question),
    keepAll: (entries, settings) => link.tell('keepAnswers', entries.map(detached), settings, undefined),
    async lead(key) {
      const lead = await link.call('leadAnswer', key);
      return lead === 0
        ? { otherEnded: link.call('untilLed', key) }
        : { end: () => link.tell('endLead', lead) };
    },
    similar: {
      nearest: async (question, settings, semantic) =>
        await link.call('nearestQuestion', question, settings, semantic),
      add: (key, question, expiresAt, semantic) =>
        link.tell('addQuestion', key, question, expiresAt, semantic),
      delete: (key) => link.tell('deleteQuestion', key),
    },
    // The main thread waits until everything is written.
    close: () => Promise.resolve(),
  };
}

/** An entry whose body does not share memory, all of which a message would contain. */
const detached = (entry: CacheEntry): CacheEntry => ({ ...entry, body: Uint8Array.from(entry.body) });
