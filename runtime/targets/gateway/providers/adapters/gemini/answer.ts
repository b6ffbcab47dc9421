import { lookup } from '#core/values/lookup.ts';
import { membersOf } from '#core/json/members-of.ts';
import type {
  ChatCompletion,
  ChatMessage,
  ChatUsage,
  FinishReason,
  Json,
  ToolCall,
  ChatChunk,
  ChunkChoice,
  ChunkDelta,
} from '../../shapes/chat.ts';
import { withSignature } from '../../wires/thought-signatures.ts';
import { sumOfCounts } from '../usage-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';

/** Translates a Gemini response to the internal format. */
export function readGeminiAnswer(body: Json): ChatCompletion {
  const answer = body as GeminiAnswer;
  const id = answer.responseId ?? 'chatcmpl-gemini';
  const candidates = candidatesOf(answer);
  if (candidates.length === 0) throw new Error("Gemini's response has no candidates.");
  return {
    id,
    object: 'chat.completion',
    // Gemini does not report the creation time.
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

/**
 * The candidates of a response. The response to a blocked prompt has no candidates but is valid, so an
 * empty candidate is returned.
 */
function candidatesOf({ candidates = [], promptFeedback }: GeminiAnswer): readonly GeminiCandidate[] {
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

/** The signature of a response's text. In streams, an empty text at the end carries the signature. */
const textSignature = (parts: readonly GeminiPart[]): Pick<ChatMessage, 'extra_content'> =>
  withSignature(parts.findLast((part) => !part.functionCall && part.thoughtSignature)?.thoughtSignature);

/**
 * A tool call. Clients need call IDs, but only some Gemini versions send them, so a missing ID is
 * generated.
 */
function callOf({ functionCall, thoughtSignature }: GeminiPart, place: string): ToolCall {
  return {
    id: functionCall?.id ?? `call_${place}`,
    type: 'function',
    function: { name: functionCall?.name ?? '', arguments: JSON.stringify(functionCall?.args ?? {}) },
    ...withSignature(thoughtSignature),
  };
}

const FINISH = lookup<FinishReason>({
  STOP: 'stop',
  MAX_TOKENS: 'length',
  FINISH_REASON_UNSPECIFIED: 'stop',
  OTHER: 'stop',
});

/** The finish reason in OpenAI's terms. Any Gemini reason not listed here means that the content was filtered. */
function finishOf(reason: string | undefined, hasCalls: boolean): FinishReason {
  const finish = reason === undefined ? 'stop' : (FINISH[reason] ?? 'content_filter');
  return finish === 'stop' && hasCalls ? 'tool_calls' : finish;
}

/** The number of web searches for these candidates. */
const searchesIn = (candidates: readonly GeminiCandidate[]): number =>
  candidates.reduce((sum, { groundingMetadata: found }) => {
    const { webSearchQueries: queries } = membersOf(found);
    return sum + (Array.isArray(queries) ? queries.length : 0);
  }, 0);

function usageOf(usage: GeminiUsage | null | undefined, searches: number): ChatUsage {
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

/**
 * Decodes Gemini's streams. Each event is a partial response with the usage so far, and only the finish
 * reason marks the end of the stream.
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
export function geminiDecoder(): EventDecoder {
  /** Number of tool calls so far, by candidate. */
  const calls = new Map<number, number>();
  let begun = false;
  let searches = 0;

  const choiceOf = (candidate: GeminiCandidate, id: string): ChunkChoice => {
    const { index = 0, finishReason } = candidate;
    const delta = deltaOf(candidate, id, calls);
    const finish = finishReason === undefined ? null : finishOf(finishReason, (calls.get(index) ?? 0) > 0);
    return { index, delta: begun ? delta : { role: 'assistant', ...delta }, finish_reason: finish };
  };

  return (_event, data): StreamStep => {
    const json = parseJsonText(data) as Json;
    if (json['error'] !== undefined) return { kind: 'error', body: json };
    const answer = json as GeminiAnswer;
    const id = answer.responseId ?? 'chatcmpl-gemini';
    const head = {
      id,
      object: 'chat.completion.chunk',
      created: 0,
      model: answer.modelVersion ?? '',
    } as const;
    // Events repeat the search queries from earlier events.
    searches = Math.max(searches, searchesIn(candidatesOf(answer)));
    const choices = candidatesOf(answer).map((candidate) => choiceOf(candidate, id));
    begun ||= choices.length > 0;
    const chunks: ChatChunk[] = choices.length > 0 ? [{ ...head, choices }] : [];
    const isLast = choices.some(({ finish_reason: reason }) => reason !== null);
    const usage = answer.usageMetadata && usageOf(answer.usageMetadata, searches);
    if (isLast && usage) chunks.push({ ...head, choices: [], usage });
    const usageSoFar = isLast ? undefined : usage;
    return chunks.length > 0 ? { kind: 'chunks', chunks, usageSoFar } : { kind: 'nothing', usageSoFar };
  };
}

function deltaOf(
  { content, index = 0 }: GeminiCandidate,
  id: string,
  calls: Map<number, number>,
): ChunkDelta {
  const parts = content?.parts ?? [];
  const join = (thought: boolean): string =>
    parts
      .map((part) => (part.text !== undefined && (part.thought ?? false) === thought ? part.text : ''))
      .join('');
  const called = parts
    .filter(({ functionCall }) => functionCall)
    .map((part) => {
      const at = calls.get(index) ?? 0;
      calls.set(index, at + 1);
      return { index: at, ...callOf(part, `${id}-${index}-${at}`) };
    });
  const [thought, text] = [join(true), join(false)];
  return {
    ...(thought !== '' && { reasoning_content: thought }),
    ...(text !== '' && { content: text }),
    ...(called.length > 0 && { tool_calls: called }),
    ...textSignature(parts),
  };
}

/** The members of Gemini's responses that the gateway reads. @see https://ai.google.dev/api/generate-content */
export interface GeminiAnswer extends Json {
  readonly candidates?: readonly GeminiCandidate[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly usageMetadata?: GeminiUsage;
  readonly modelVersion?: string;
  readonly responseId?: string;
}

interface GeminiCandidate {
  readonly index?: number;
  readonly content?: { readonly role?: string; readonly parts?: readonly GeminiPart[] };
  readonly finishReason?: string;
  /** The results of a web search, with its queries. */
  readonly groundingMetadata?: unknown;
}

interface GeminiPart {
  readonly text?: string;
  /** Whether the text is reasoning. */
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: Json };
}

interface GeminiUsage {
  readonly promptTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  /** Counts by modality, e.g. IMAGE. */
  readonly promptTokensDetails?: unknown;
  readonly candidatesTokensDetails?: unknown;
}
