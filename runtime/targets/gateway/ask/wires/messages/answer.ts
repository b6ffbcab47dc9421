import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { AnthropicBlock, AnthropicMessage, AnthropicUsage } from '../../shapes/messages.ts';
import type { ChatCompletion, ChatMessage, ChatUsage } from '../../shapes/chat.ts';
import { textIn } from '../foreign-json.ts';

/** Translates an answer from the internal format to Anthropic's. */
export function fromChat({ id, model, choices, usage }: ChatCompletion): AnthropicMessage {
  const [choice] = choices;
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: choice ? blocksOf(choice.message) : [],
    stop_reason: stopReason(choice?.finish_reason ?? 'stop'),
    stop_sequence: null,
    usage: usageOf(usage),
  };
}

function blocksOf(message: ChatMessage): AnthropicBlock[] {
  const { content, refusal, reasoning_content: thought, tool_calls: calls } = message;
  const text = textIn(content, '`content`');
  return [
    // The signature is empty because other providers have none; `toChat` removes the block from later requests.
    ...(thought ? [{ type: 'thinking', thinking: thought, signature: '' }] : []),
    ...(text || refusal ? [{ type: 'text', text: text || (refusal ?? '') }] : []),
    ...(calls ?? []).map((call) => ({
      type: 'tool_use',
      id: call.id,
      name: call.function.name,
      input: inputOf(call.function.arguments),
    })),
  ];
}

/** The arguments of a tool call as an object. Models sometimes write invalid JSON; the tool of the client must report that. */
function inputOf(text: string): unknown {
  try {
    const value: unknown = parseJsonText(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const STOP: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

export const stopReason = (finish: string): string => STOP[finish] ?? 'end_turn';

export function usageOf(usage: ChatUsage | null | undefined): AnthropicUsage {
  const read = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  const written = usage?.prompt_tokens_details?.cache_write_tokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage?.prompt_tokens ?? 0) - read - written),
    output_tokens: usage?.completion_tokens ?? 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}
