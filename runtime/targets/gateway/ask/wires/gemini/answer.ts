import { parseJsonText } from '../../../../../core/json/json-text.ts';
import { isObject } from '../../../../../core/json/is-object.ts';
import type { ChatCompletion, ChatMessage, ChatUsage, Json } from '../../shapes/chat.ts';
import { textIn } from '../foreign-json.ts';

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

function partsOf({ content, refusal, reasoning_content: thought, tool_calls: calls }: ChatMessage): Json[] {
  const text = textIn(content, '`content`') || refusal;
  return [
    ...(thought ? [{ text: thought, thought: true }] : []),
    ...(text ? [{ text }] : []),
    ...(calls ?? []).map(({ id, function: { name, arguments: args } }) => callPart(id, name, args)),
  ];
}

export const callPart = (id: string | undefined, name: string, args: string): Json => ({
  functionCall: { ...(id !== undefined && { id }), name, args: argsOf(args) },
});

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
