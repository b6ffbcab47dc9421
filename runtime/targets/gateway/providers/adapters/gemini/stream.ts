import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';
import type { ChatChunk, ChunkChoice, ChunkDelta, Json } from '../../shapes/chat.ts';
import { callOf, candidatesOf, finishOf, searchesIn, textSignature, usageOf } from './answer.ts';
import type { GeminiAnswer, GeminiCandidate } from './shape.ts';

/**
 * Decodes Gemini's streams. Each event is a partial answer with the usage so far; only the finish reason marks the end.
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
    // Events repeat the queries of those before.
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
