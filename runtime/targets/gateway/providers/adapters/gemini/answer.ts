import { membersOf } from '#core/json/members-of.ts';
import type {
  ChatCompletion,
  ChatMessage,
  ChatUsage,
  FinishReason,
  Json,
  ToolCall,
} from '../../shapes/chat.ts';
import { withSignature } from '../../wires/thought-signatures.ts';
import { sumOfCounts } from '../sum-of-counts.ts';
import type { GeminiAnswer, GeminiCandidate, GeminiPart, GeminiUsage } from './shape.ts';

/** Translates an answer of Gemini to the internal format. */
export function readAnswer(body: Json): ChatCompletion {
  const answer = body as GeminiAnswer;
  const id = answer.responseId ?? 'chatcmpl-gemini';
  const candidates = candidatesOf(answer);
  if (candidates.length === 0) throw new Error("Gemini's response has no candidates.");
  return {
    id,
    object: 'chat.completion',
    // Gemini does not report it.
    created: 0,
    model: answer.modelVersion ?? '',
    choices: candidates.map((candidate, index) => {
      const message = messageOf(candidate, id);
      return {
        index: candidate.index ?? index,
        message,
        finish_reason: finishOf(candidate.finishReason, message.tool_calls !== undefined),
      };
    }),
    usage: usageOf(answer.usageMetadata, searchesIn(candidates)),
  };
}

/** The candidates of an answer. A blocked prompt has none and becomes an empty one, because it is a valid answer. */
export function candidatesOf({ candidates = [], promptFeedback }: GeminiAnswer): readonly GeminiCandidate[] {
  if (candidates.length > 0 || promptFeedback?.blockReason === undefined) return candidates;
  return [{ index: 0, content: { parts: [] }, finishReason: 'SAFETY' }];
}

function messageOf({ content, index = 0 }: GeminiCandidate, answerId: string): ChatMessage {
  const parts = content?.parts ?? [];
  const texts = parts.flatMap(({ text, thought }) => (text !== undefined && !thought ? [text] : []));
  const thoughts = parts.flatMap(({ text, thought }) => (text !== undefined && thought ? [text] : []));
  const calls = parts
    .filter(({ functionCall }) => functionCall)
    .map((part, at) => callOf(part, `${answerId}-${index}-${at}`));
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.join('') : null,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...textSignature(parts),
  };
}

/** The signature of the text of an answer; in streams, it comes with an empty last text. */
export const textSignature = (parts: readonly GeminiPart[]): Pick<ChatMessage, 'extra_content'> =>
  withSignature(parts.findLast((part) => !part.functionCall && part.thoughtSignature)?.thoughtSignature);

/** A tool call. Only some versions of Gemini send ids, and clients need one, so a missing id is generated. */
export function callOf({ functionCall, thoughtSignature }: GeminiPart, place: string): ToolCall {
  return {
    id: functionCall?.id ?? `call_${place}`,
    type: 'function',
    function: { name: functionCall?.name ?? '', arguments: JSON.stringify(functionCall?.args ?? {}) },
    ...withSignature(thoughtSignature),
  };
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  FINISH_REASON_UNSPECIFIED: 'stop',
  OTHER: 'stop',
};

/** The finish reason in OpenAI's terms. All unlisted reasons of Gemini mean that it filtered the content. */
export function finishOf(reason: string | undefined, hasCalls: boolean): FinishReason {
  const finish = reason === undefined ? 'stop' : (FINISH[reason] ?? 'content_filter');
  return finish === 'stop' && hasCalls ? 'tool_calls' : finish;
}

/** The number of web searches for these candidates. */
export const searchesIn = (candidates: readonly GeminiCandidate[]): number =>
  candidates.reduce((sum, { groundingMetadata: found }) => {
    const { webSearchQueries: queries } = membersOf(found);
    return sum + (Array.isArray(queries) ? queries.length : 0);
  }, 0);

export function usageOf(usage: GeminiUsage | null | undefined, searches: number): ChatUsage {
  const thoughts = usage?.thoughtsTokenCount;
  const prompt = sumOfCounts(usage?.promptTokenCount, usage?.toolUsePromptTokenCount);
  const completion = sumOfCounts(usage?.candidatesTokenCount, thoughts);
  return {
    ...(prompt !== undefined && { prompt_tokens: prompt }),
    ...(completion !== undefined && { completion_tokens: completion }),
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    prompt_tokens_details: {
      cached_tokens: usage?.cachedContentTokenCount ?? 0,
      ...imageTokens(usage?.promptTokensDetails),
    },
    completion_tokens_details: {
      reasoning_tokens: thoughts ?? 0,
      ...imageTokens(usage?.candidatesTokensDetails),
    },
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
  };
}

function imageTokens(details: unknown): { readonly image_tokens?: number } {
  const ofImages = (Array.isArray(details) ? details : [])
    .map(membersOf)
    .find(({ modality }) => modality === 'IMAGE');
  const { tokenCount: tokens } = ofImages ?? {};
  return typeof tokens === 'number' ? { image_tokens: tokens } : {};
}
