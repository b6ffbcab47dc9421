import type { ChatChunk, ChatUsage, ChunkDelta } from '../wires/chat/shape.ts';
import type { AnswerSummary, TokenUsage } from './api.ts';

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
  return (chunk.choices ?? []).map(({ delta }) => (delta ? partsOf(delta).join('') : '')).join('');
}

const lengthOf = (delta: ChunkDelta): number => partsOf(delta).reduce((sum, text) => sum + text.length, 0);

function partsOf({
  content,
  refusal,
  reasoning_content: thought,
  reasoning,
  tool_calls: calls,
}: ChunkDelta): string[] {
  const said = [thought ?? reasoning ?? '', content ?? '', refusal ?? ''];
  return calls
    ? [...said, ...calls.flatMap((call) => [call.function?.name ?? '', call.function?.arguments ?? ''])]
    : said;
}

/** What a provider says of tokens; undefined if it says nothing, or only zeros as some do in every chunk. */
export function readUsage(usage: ChatUsage | null | undefined): TokenUsage | undefined {
  if (!usage) return undefined;
  const promptTokens = count(usage.prompt_tokens);
  const completionTokens = count(usage.completion_tokens);
  if (promptTokens === 0 && completionTokens === 0) return undefined;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: count(usage.prompt_tokens_details?.cached_tokens),
    cacheWriteTokens: count(usage.prompt_tokens_details?.cache_write_tokens),
    reasoningTokens: count(usage.completion_tokens_details?.reasoning_tokens),
  };
}

/** Providers are believed whole numbers only: accounts are made of them. */
const count = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, value as number) : 0);
