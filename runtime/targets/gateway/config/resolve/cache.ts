import { omitUndefined } from '#core/json/omit-undefined.ts';
import {
  CACHE_DEFAULTS,
  type CacheSettings,
  SEMANTIC_DEFAULTS,
  type SemanticSettings,
} from '../../requests/cache/cache-settings.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { type ResolveContext, timeIn } from './context.ts';
import { type KnownNames, modelProblem } from './model-names.ts';

type CacheEntry = NonNullable<GatewayFile['cache']>;

export function resolveCache(
  context: ResolveContext,
  entry: CacheEntry | undefined,
  names: KnownNames,
): CacheSettings | undefined {
  if (!entry) return undefined;
  return {
    ...CACHE_DEFAULTS,
    ...omitUndefined({
      scope: entry.scope,
      store: entry.store,
      ttlMs: timeIn(context, ['cache', 'ttl'], entry.ttl),
      maxBytes: entry.max_bytes,
      maxStoredBytes: entry.max_stored_bytes,
      maxAnswerBytes: entry.max_answer_bytes,
      models: entry.models,
      toolCalls: entry.tool_calls,
      sampled: entry.sampled,
    }),
    semantic: entry.semantic && resolveSemantic(context, entry.semantic, names),
  };
}

function resolveSemantic(
  context: ResolveContext,
  entry: NonNullable<CacheEntry['semantic']>,
  names: KnownNames,
): SemanticSettings {
  const problem = modelProblem(`encoder:${entry.encoder}`, names);
  if (problem !== undefined) context.report(['cache', 'semantic', 'encoder'], problem);
  return {
    ...SEMANTIC_DEFAULTS,
    encoder: entry.encoder.toLowerCase(),
    ...omitUndefined({
      threshold: entry.threshold,
      question: entry.question,
      maxEntries: entry.max_entries,
      maxCharacters: entry.max_characters,
      timeoutMs: timeIn(context, ['cache', 'semantic', 'timeout'], entry.timeout),
    }),
  };
}
