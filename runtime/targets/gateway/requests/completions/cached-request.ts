import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { AnswerCache } from '../cache/answer-cache.ts';
import type { CacheEntry, QuestionVector } from '../cache/cache-entry.ts';
import { cacheKey, membersLeft } from '../cache/cache-key.ts';
import type { CacheSettings } from '../cache/cache-settings.ts';
import { isCacheable } from '../cache/is-cacheable.ts';
import { questionOf } from '../cache/question-of.ts';
import { questionVector } from '../cache/question-vector.ts';
import { readDirectives } from '../cache/read-directives.ts';
import type { ModelCache } from '../cache/model-cache.ts';
import type { ModelSet } from '../models/model-set.ts';
import type { Resolved } from '../routing/routing.ts';
import type { CompletionRequest } from './completion.ts';
import type { ReadRequest } from './read-request.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';

export interface CacheParts {
  readonly cache: AnswerCache;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface CacheableRequest extends Omit<ReadRequest, 'model' | 'references'> {
  readonly request: CompletionRequest;
  readonly set: ModelSet;
  readonly cache: ModelCache;
  readonly resolved: Resolved;
  readonly spender: Spender;
  /** Headers that the provider gets. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

export interface CacheHit {
  readonly entry: CacheEntry;
  readonly isStream: boolean;
  /** Cosine similarity of the questions; undefined for an identical request. */
  readonly similarity: number | undefined;
}

/** An answer that a model has given. */
type NewAnswer = Pick<CacheEntry, 'body' | 'target' | 'promptTokens' | 'completionTokens' | 'droppedTools'>;

/** The cache, for one request. */
export interface CachedRequest {
  /** The answer to an identical request. Waits for it if another request is being answered. */
  find(): Promise<CacheHit | undefined>;
  /** The answer to a similar request. */
  findSimilar(content: Passed<unknown>): Promise<CacheHit | undefined>;
  /** Reports that the request is not cached after all. */
  bypass(): void;
  readonly settings: CacheSettings;
  /** Whether the client does not want its answer to be kept. */
  readonly isNotKept: boolean;
  keep(answer: NewAnswer): void;
  /** Ends the wait of identical requests. Must be called when the request has ended. */
  end(): void;
}

const CACHE_HEADER = 'X-Cache';

/** Opens the cache for a request; undefined if its answer cannot be cached. */
export function openCachedRequest(
  { cache, clock, log }: CacheParts,
  { request, set, cache: own, resolved, spender, headers, body, bytes, members }: CacheableRequest,
): CachedRequest | undefined {
  const { endpoint, setHeader, signal, requestId, caller } = request;
  const { settings, origin, shared } = own;
  // Jobs evaluate models, so each of their requests needs an answer of its own.
  if (caller.kind === 'work') return undefined;
  const directives = readDirectives(request.headers.get('cache-control'));
  if (!isCacheable(endpoint, resolved.alias ?? resolved.targets[0]?.key ?? '', body, settings)) {
    setHeader(CACHE_HEADER, 'bypass');
    return undefined;
  }
  const isStream = body['stream'] === true;
  const primary = resolved.targets.slice(0, resolved.primaries);
  const ofUser = `user ${spender.data.owner?.space ?? spender.user.userId}`;
  const ofKey = spender.key ? `key ${spender.key.id}` : ofUser;
  const facts = [
    endpoint,
    isStream,
    { key: ofKey, user: ofUser, shared: null }[settings.scope],
    resolved.alias ?? null,
    JSON.stringify(primary.map(({ key, provider }) => `${key} ${origin(provider)}`).toSorted()),
    JSON.stringify([set.guardrails.rules(body['guardrails']), headers ?? null]),
    shared,
  ];
  const left = membersLeft(endpoint);
  const key = cacheKey({ facts, bytes, members, left });
  let question: QuestionVector | undefined;
  let end: (() => void) | undefined;
  const hit = (entry: CacheEntry, similarity?: number): CacheHit => {
    setHeader(CACHE_HEADER, 'hit');
    setHeader('Age', String(Math.max(0, Math.floor((clock.now() - entry.createdAt) / 1000))));
    return { entry, isStream, similarity };
  };
  const find = async (): Promise<CacheHit | undefined> => {
    const entry = await cache.find(key, settings, directives.maxAgeMs);
    return entry && hit(entry);
  };
  return {
    async find() {
      setHeader(CACHE_HEADER, directives.noCache ? 'bypass' : 'miss');
      if (directives.noCache) return undefined;
      const found = await find();
      if (found) return found;
      // A stream is not waited for, because its client would get its first word only with the last one.
      if (isStream || directives.noStore) return undefined;
      const waiting = cache.waiting(key);
      if (!waiting) {
        end = cache.lead(key);
        return undefined;
      }
      await Promise.race([waiting, aborted(signal)]);
      // Its answer is missing if it failed or must not be cached; the next one would be no different.
      return await find();
    },
    bypass: () => setHeader(CACHE_HEADER, 'bypass'),
    async findSimilar(content) {
      const { semantic } = settings;
      if (!semantic || directives.noCache) return undefined;
      const asked = questionOf(endpoint, body, semantic);
      if (!asked) return undefined;
      try {
        const vector = await questionVector(set.router, derivedFrom(content, asked), semantic, signal);
        const encoder = set.router.resolve(`encoder:${semantic.encoder}`).targets[0];
        const group = cacheKey({
          facts: [...facts, asked.exact, encoder ? origin(encoder.provider) : null, vector.length],
          bytes,
          members,
          left: new Set([...left, asked.member]),
        });
        question = { group, vector };
      } catch (error) {
        log.warn({ requestId, err: error }, 'encoder of the semantic cache unavailable; the model is called');
        return undefined;
      }
      const nearest = await cache.similar.nearest(question, settings, semantic);
      if (!nearest) return undefined;
      const entry = await cache.find(nearest.key, settings, directives.maxAgeMs);
      if (!entry) {
        if (directives.maxAgeMs === undefined) cache.similar.delete(nearest.key);
        return undefined;
      }
      setHeader('X-Cache-Similarity', nearest.similarity.toFixed(4));
      return hit(entry, nearest.similarity);
    },
    settings,
    isNotKept: directives.noStore,
    keep(answer) {
      // An answer of a fallback is not kept: the request asks for the models before it.
      if (!primary.some((target) => target.key === answer.target)) return;
      const createdAt = Math.floor(clock.now());
      const expiresAt = createdAt + settings.ttlMs;
      const keyId = spender.key?.id ?? null;
      cache.keep({ ...answer, key, keyId, createdAt, expiresAt }, settings, question);
      if (question && settings.semantic) cache.similar.add(key, question, expiresAt, settings.semantic);
    },
    end: () => end?.(),
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
