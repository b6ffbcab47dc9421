import type { ChatChunk, ChatUsage, ChunkDelta } from '../shapes/chat.ts';
import type { AnswerSummary, TokenUsage } from './stream.ts';
import { writtenTexts } from './written-texts.ts';

/** Counts what goes through a stream. */
export interface Tally {
  add(chunk: ChatChunk): void;
  /** Whether every choice that began has finished. */
  complete(): boolean;
  summary(): AnswerSummary;
}

export function createTally(): Tally {
  let usage: TokenUsage | undefined;
  let outputLength = 0;
  let finishReason: string | undefined;
  const open = new Set<number>();
  let finished = 0;
  return {
    add(chunk) {
      usage = readUsage(chunk.usage) ?? usage;
      for (const { index, delta, finish_reason: reason } of chunk.choices ?? []) {
        if (delta) outputLength += lengthOf(delta);
        if (reason) {
          finishReason ??= reason;
          finished += 1;
          open.delete(index);
        } else open.add(index);
      }
    },
    complete: () => finished > 0 && open.size === 0,
    summary: () => ({ usage, outputLength, finishReason }),
  };
}

/** All that the model wrote in this piece, in order. */
export function textOf(chunk: ChatChunk): string {
  return (chunk.choices ?? []).map(({ delta }) => (delta ? textIn(delta) : '')).join('');
}

/** What a model wrote in a message, or in a piece of one, whatever it is called there. */
export const textIn = (message: object): string => partsOf(message).join('');

const lengthOf = (delta: ChunkDelta): number => partsOf(delta).reduce((sum, text) => sum + text.length, 0);

/** Some providers tell what was thought twice or three times, under another name each. */
function partsOf(message: object): string[] {
  const {
    reasoning_content: thought,
    reasoning,
    reasoning_details: details,
    ...rest
  } = message as Readonly<Record<string, unknown>>;
  return [...writtenTexts(thought || reasoning || details), ...writtenTexts(rest)];
}

/** What a provider says of tokens; undefined if it says nothing credible, or only zeros as some do in every chunk. */
export function readUsage(usage: ChatUsage | null | undefined): TokenUsage | undefined {
  if (!usage) return undefined;
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  const [promptTokens, completionTokens] = [count(prompt), count(completion)];
  // What is wrong about one of them cannot be taken for nothing: that would be free.
  if (
    (isTold(prompt) && promptTokens === undefined) ||
    (isTold(completion) && completionTokens === undefined)
  )
    return undefined;
  if (!promptTokens && !completionTokens) return undefined;
  const {
    cached_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: hour,
  } = usage.prompt_tokens_details ?? {};
  const cacheWriteTokens = count(written) ?? 0;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: count(cached) ?? 0,
    cacheWriteTokens,
    cacheWrite1hTokens: Math.min(cacheWriteTokens, count(hour) ?? 0),
    reasoningTokens: count(usage.completion_tokens_details?.reasoning_tokens) ?? 0,
  };
}

/** A provider's usage with nothing in it but counts; the accounts read the same of it. */
export function checkedUsage(usage: unknown): ChatUsage | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const told = readUsage(usage);
  if (!told) return NO_USAGE;
  const { promptTokens: prompt, completionTokens: completion } = told;
  return {
    ...(prompt !== undefined && { prompt_tokens: prompt }),
    ...(completion !== undefined && { completion_tokens: completion }),
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    prompt_tokens_details: {
      cached_tokens: told.cachedTokens,
      cache_write_tokens: told.cacheWriteTokens,
      ...(told.cacheWrite1hTokens > 0 && { cache_write_1h_tokens: told.cacheWrite1hTokens }),
    },
    completion_tokens_details: { reasoning_tokens: told.reasoningTokens },
  };
}

const NO_USAGE: ChatUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** No request has so many. What is beyond would not even fit into the accounts. */
const MOST_TOKENS = 1_000_000_000;

const isTold = (value: unknown): boolean => value !== undefined && value !== null;

/** Providers are believed whole numbers only: accounts are made of them. */
const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS
    ? (value as number)
    : undefined;
