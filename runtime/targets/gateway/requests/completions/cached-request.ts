import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { AnswerCache } from '../cache/answer-cache.ts';
import type { CacheEntry, QuestionVector } from '../cache/stored-entries.ts';
import { cacheKey, membersLeft, isCacheable, questionOf, readDirectives } from '../cache/cacheable.ts';
import type { CacheSettings } from '../cache/cache-settings.ts';
import { questionVector } from '../cache/similar-questions.ts';
import type { ModelCache } from '../cache/model-cache.ts';
import type { ModelSet, HeldModels } from '../models/model-set.ts';
import type { Resolved } from '../routing/routing.ts';
import { DROPPED_HEADER, type CompletionRequest, type CompletionAnswer } from './completion.ts';
import type { ReadRequest } from './read-request.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';
import type { PromptRecord } from '../policy/policy.ts';
import { collectPieces } from '../../providers/streams/collect-pieces.ts';
import type { ForwardedStream, AnswerSummary } from '../../providers/streams/stream.ts';
import type { RequestAccount } from './account.ts';
import type { ExpectedTokens } from './estimate.ts';
import { tokensOf } from './settle-request.ts';

interface CacheParts {
  readonly cache: AnswerCache;
  readonly clock: Clock;
  readonly log: Logger;
}

interface CacheableRequest extends Omit<ReadRequest, 'model' | 'references'> {
  readonly request: CompletionRequest;
  readonly set: ModelSet;
  readonly cache: ModelCache;
  /** A string that identifies the models that can respond and where they run. */
  readonly origins: string;
  readonly resolved: Resolved;
  readonly spender: Spender;
  /** The client's headers that are passed to the provider. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

export interface CacheHit {
  readonly entry: CacheEntry;
  readonly isStream: boolean;
  /** Cosine similarity of the questions; undefined for an identical request. */
  readonly similarity: number | undefined;
}

/** A response from a model. */
type NewAnswer = Pick<CacheEntry, 'body' | 'target' | 'promptTokens' | 'completionTokens' | 'droppedTools'>;

/** The cache as used by a single request. */
export interface CachedRequest {
  /**
   * Returns the cached response to an identical request. If an identical request is in progress, waits for
   * it.
   */
  find(): Promise<CacheHit | undefined>;
  /** Returns the cached response to a similar request. */
  findSimilar(content: Passed<unknown>): Promise<CacheHit | undefined>;
  /** Reports that the request is not cached after all. */
  bypass(): void;
  readonly settings: CacheSettings;
  /** Whether the client requests that its response not be cached. */
  readonly isNotKept: boolean;
  keep(answer: NewAnswer): void;
  /** Lets identical requests stop waiting. Must be called when the request has ended. */
  end(): void;
}

const CACHE_HEADER = 'X-Cache';

/** Opens the cache for a request; undefined if its response cannot be cached. */
export function openCachedRequest(
  { cache, clock, log }: CacheParts,
  { request, set, cache: own, origins, resolved, spender, headers, body, bytes, members }: CacheableRequest,
): CachedRequest | undefined {
  const { endpoint, setHeader, signal, requestId, caller } = request;
  const { settings, origin, shared } = own;
  // Jobs evaluate models, so each of their requests needs its own response.
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
    origins,
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
      // Requests do not wait for a stream, because their clients would not receive the first word until the
      // stream has ended.
      if (isStream || directives.noStore) return undefined;
      const lead = await cache.lead(key);
      if ('end' in lead) {
        ({ end } = lead);
        return undefined;
      }
      await Promise.race([lead.otherEnded, aborted(signal)]);
      // If its response is not in the cache, it failed or must not be cached. Waiting for another identical
      // request would not help.
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
      // A response from a fallback is not cached, because the request asked for the primary models.
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

interface CachedAnswerParts {
  readonly request: CompletionRequest;
  readonly account: RequestAccount;
  readonly held: HeldModels;
  readonly clock: Clock;
  /** Undefined if the request is not stored. */
  readonly prompt: PromptRecord | undefined;
}

/** Responds to a request with a cached response, and records the request with a cost of zero. */
export async function answerFromCache(
  { request, account, held, clock, prompt }: CachedAnswerParts,
  { entry, isStream, similarity }: CacheHit,
): Promise<CompletionAnswer> {
  await account.settle({
    answered: { key: entry.target, summary: summaryOf(entry) },
    error: undefined,
    streamed: isStream,
    firstByteMs: isStream ? clock.now() - request.startedAt : undefined,
    cacheHit: similarity === undefined ? 'exact' : 'semantic',
  });
  account.whenRecorded(held.release);
  const { body, droppedTools } = entry;
  prompt?.end(entry.target, Buffer.from(body).toString('utf8'), undefined);
  if (droppedTools.length > 0) request.setHeader(DROPPED_HEADER, droppedTools.join(', '));
  return isStream ? { kind: 'stream', events: storedStream(body) } : { kind: 'whole', bytes: body };
}

const summaryOf = ({ promptTokens, completionTokens }: CacheEntry) => ({
  usage: {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
  },
  outputLength: 0,
  outputText: '',
  finishReason: undefined,
});

/** The events of a complete stream, all of which are available immediately. */
function storedStream(body: Uint8Array): ForwardedStream {
  let isRead = false;
  const ended = Promise.withResolvers<void>();
  return {
    next() {
      if (isRead) {
        ended.resolve();
        return Promise.resolve({ done: true, value: undefined });
      }
      isRead = true;
      return Promise.resolve({ done: false, value: body });
    },
    cancel() {
      isRead = true;
      ended.resolve();
      return Promise.resolve();
    },
    // A cached stream is never cut off.
    unread: new Promise(() => undefined),
    ended: ended.promise,
  };
}

/** What is known about a response in addition to its bytes. */
interface KnownAnswer {
  /** The model that responded, `provider:model`. */
  readonly key: string;
  readonly summary: AnswerSummary;
  readonly droppedTools: readonly string[];
}

/** Stores the response to a request in the cache. */
export interface AnswerKeeper {
  whole(bytes: Uint8Array, facts: KnownAnswer): void;
  /** Caches a stream once it has been read to its end, if `facts` then returns what is known about it. */
  stream(events: ForwardedStream, facts: () => KnownAnswer | undefined): ForwardedStream;
}

/** Finish reasons of a complete response. */
const COMPLETE = new Set<string | undefined>(['stop', 'length']);

const TOOL_CALLS = new Set<string | undefined>(['tool_calls', 'function_call']);

interface KeeperParts {
  readonly cached: CachedRequest;
  readonly tokens: ExpectedTokens;
  /** Whether the model generates text, so that the response has a finish reason. */
  readonly isGenerated: boolean;
}

/** Creates a keeper; undefined if the client requests that its response not be cached. */
export function createAnswerKeeper({ cached, tokens, isGenerated }: KeeperParts): AnswerKeeper | undefined {
  if (cached.isNotKept) return undefined;
  const { maxAnswerBytes: maxBytes, toolCalls } = cached.settings;
  const isComplete = ({ finishReason }: AnswerSummary): boolean =>
    !isGenerated || COMPLETE.has(finishReason) || (toolCalls && TOOL_CALLS.has(finishReason));
  const whole: AnswerKeeper['whole'] = (bytes, { key, summary, droppedTools }) => {
    if (bytes.length > maxBytes || !isComplete(summary)) return;
    const { promptTokens, completionTokens } = tokensOf(key, summary, tokens);
    // A copy, because the bytes may be part of a larger buffer.
    cached.keep({ body: Uint8Array.from(bytes), target: key, promptTokens, completionTokens, droppedTools });
  };
  return {
    whole,
    stream: (events, facts) =>
      collectPieces(events, maxBytes, (pieces) => {
        const known = facts();
        if (known && pieces) whole(Buffer.concat(pieces), known);
      }),
  };
}
