import { parseJsonText } from '#core/json/json-text.ts';
import { isObject } from '#core/json/is-object.ts';
import type { ChatCompletion, ChatMessage, ChatUsage, Json } from '../../shapes/chat.ts';
import type { CallHead } from '../content-sequence.ts';
import { textIn } from '../foreign-json.ts';
import { FOREIGN_SIGNATURE, signatureIn } from '../thought-signatures.ts';

/** Translates an answer from the internal format to Gemini's. */
export function fromChat({ id, model, choices, usage }: ChatCompletion): Json {
  return {
    candidates: choices.map(({ index, message, finish_reason: finish }) => ({
      content: { role: 'model', parts: partsOf(message) },
      finishReason: finishOf(finish ?? 'stop'),
      index,
    })),
    usageMetadata: usageOf(usage),
    modelVersion: model,
    responseId: id,
  };
}

function partsOf(message: ChatMessage): Json[] {
  const { content, refusal, reasoning_content: thought, tool_calls: calls, extra_content: extra } = message;
  const text = textIn(content, '`content`') || refusal;
  const signature = signatureIn(extra);
  return [
    ...(thought ? [{ text: thought, thought: true }] : []),
    ...(text ? [{ text, ...(signature !== undefined && { thoughtSignature: signature }) }] : []),
    ...(calls ?? []).map(({ id, function: { name, arguments: args }, extra_content: own }, number) =>
      callPart({ id, name, number, signature: signatureIn(own) }, args),
    ),
  ];
}

/**
 * A call. The first one of an answer always has a signature, because clients return the part unchanged, and the next model can be one of
 * Gemini's, which reject calls without.
 */
export const callPart = ({ id, name, number, signature }: CallHead, args: string): Json => {
  const shown = signature ?? (number === 0 ? FOREIGN_SIGNATURE : undefined);
  return {
    functionCall: { ...(id !== undefined && { id }), name, args: argsOf(args) },
    ...(shown !== undefined && { thoughtSignature: shown }),
  };
};

/** Arguments as an object. Models sometimes write invalid JSON; the function of the client must report that. */
function argsOf(text: string): Json {
  try {
    const value: unknown = parseJsonText(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const FINISH: Readonly<Record<string, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  function_call: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

export const finishOf = (finish: string): string => FINISH[finish] ?? 'STOP';

export function usageOf(usage: ChatUsage | null | undefined): Json {
  const prompt = usage?.prompt_tokens ?? 0;
  const completion = usage?.completion_tokens ?? 0;
  const thoughts = Math.min(completion, usage?.completion_tokens_details?.reasoning_tokens ?? 0);
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thoughts,
    totalTokenCount: prompt + completion,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}
