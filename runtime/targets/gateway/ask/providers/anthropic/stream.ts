import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';
import type { ChatChunk, ChunkDelta, Json } from '../../shapes/chat.ts';
import { finishOf, usageOf } from './answer.ts';
import type { AnthropicBlock, AnthropicMessage, AnthropicUsage } from '../../shapes/messages.ts';

/** @see https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export function anthropicDecoder(): EventDecoder {
  let head: Pick<ChatChunk, 'id' | 'model' | 'object' | 'created'> = {};
  let usage: AnthropicUsage = {};
  /** Number of each tool call by the index of its content block: Anthropic numbers all blocks together, OpenAI only the calls. */
  const calls = new Map<number, number>();

  const chunk = (delta: ChunkDelta, finish: string | null = null): StreamStep => ({
    kind: 'chunks',
    chunks: [{ ...head, choices: [{ index: 0, delta, finish_reason: finish }] }],
  });

  const startBlock = (index: number, block: AnthropicBlock): StreamStep => {
    if (block.type !== 'tool_use') return NOTHING;
    const at = calls.size;
    calls.set(index, at);
    const { id = '', name = '' } = block;
    return chunk({ tool_calls: [{ index: at, id, type: 'function', function: { name, arguments: '' } }] });
  };

  const continueBlock = (index: number, delta: Json): StreamStep => {
    if (delta['type'] === 'text_delta') return chunk({ content: delta['text'] as string });
    if (delta['type'] === 'thinking_delta') return chunk({ reasoning_content: delta['thinking'] as string });
    const at = calls.get(index);
    if (delta['type'] !== 'input_json_delta' || at === undefined) return NOTHING;
    return chunk({ tool_calls: [{ index: at, function: { arguments: delta['partial_json'] as string } }] });
  };

  return (_event, data) => {
    const json = parseJsonText(data) as Json;
    switch (json['type']) {
      case 'message_start': {
        const message = json['message'] as AnthropicMessage;
        head = { id: message.id, object: 'chat.completion.chunk', created: 0, model: message.model };
        ({ usage } = message);
        return chunk({ role: 'assistant', content: '' });
      }
      case 'content_block_start':
        return startBlock(json['index'] as number, json['content_block'] as AnthropicBlock);
      case 'content_block_delta':
        return continueBlock(json['index'] as number, json['delta'] as Json);
      case 'message_delta': {
        usage = { ...usage, ...known(json['usage'] as AnthropicUsage | null | undefined) };
        const { stop_reason: reason } = json['delta'] as { stop_reason: string | null };
        const last: ChatChunk = { ...head, choices: [], usage: usageOf(usage) };
        if (reason === null) return NOTHING;
        const finish: ChatChunk = {
          ...head,
          choices: [{ index: 0, delta: {}, finish_reason: finishOf(reason) }],
        };
        return { kind: 'chunks', chunks: [finish, last] };
      }
      case 'message_stop':
        return { kind: 'end' };
      case 'error':
        return { kind: 'error', body: json };
      default:
        return NOTHING;
    }
  };
}

const NOTHING: StreamStep = { kind: 'nothing' };

/** Counts that are present. Later counts replace earlier ones, but `null` must not. */
const known = (usage: AnthropicUsage | null | undefined): AnthropicUsage =>
  Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null));
