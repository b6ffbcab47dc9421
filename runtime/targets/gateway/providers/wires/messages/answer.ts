import { parseJsonText } from '#core/json/json-text.ts';
import type { AnthropicBlock, AnthropicMessage, AnthropicUsage } from '../../shapes/messages.ts';
import type { ChatCompletion, ChatMessage, ChatUsage, ToolCall } from '../../shapes/chat.ts';
import { textIn } from '../foreign-json.ts';
import { sealSignature, signatureIn } from '../thought-signatures.ts';

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
  const { content, refusal, reasoning_content: thought, tool_calls: calls, extra_content: extra } = message;
  const text = textIn(content, '`content`');
  const signature = signatureIn(extra);
  return joined([
    ...(thought ? [thinkingBlock(thought)] : []),
    ...(signature === undefined ? [] : [thinkingBlock('', sealSignature('', signature))]),
    ...(text || refusal ? [{ type: 'text', text: text || (refusal ?? '') }] : []),
    ...(calls ?? []).flatMap(callBlocks),
  ]);
}

/** A call, after a block with its signature. */
function callBlocks({ id, function: called, extra_content: extra }: ToolCall): AnthropicBlock[] {
  const signature = signatureIn(extra);
  return [
    ...(signature === undefined ? [] : [thinkingBlock('', sealSignature(id, signature))]),
    { type: 'tool_use', id, name: called.name, input: inputOf(called.arguments) },
  ];
}

/** Only Anthropic's models sign their thinking; requests to them are sent without blocks that others have signed or not signed. */
export const thinkingBlock = (thinking: string, signature = ''): AnthropicBlock => ({
  type: 'thinking',
  thinking,
  signature,
});

/** Joins thinking and a signature that follows it directly. */
const joined = (blocks: readonly AnthropicBlock[]): AnthropicBlock[] =>
  blocks.reduce<AnthropicBlock[]>((all, block) => {
    const last = all.at(-1);
    const isNext = block.thinking === '' && last?.type === 'thinking' && last['signature'] === '';
    return isNext ? [...all.slice(0, -1), { ...block, thinking: last.thinking ?? '' }] : [...all, block];
  }, []);

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
