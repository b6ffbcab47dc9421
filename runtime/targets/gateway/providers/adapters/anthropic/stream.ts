import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';
import type { Json } from '../../shapes/chat.ts';
import { finishOf, usageOf } from './answer.ts';
import { membersOf } from '#core/json/members-of.ts';
import { objectIn } from '../../wires/foreign-json.ts';

/** @see https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export function anthropicDecoder(): EventDecoder<unknown> {
  let head: Json = {};
  let usage: Json = {};
  /** Number of each tool call by the index of its content block: Anthropic numbers all blocks together, OpenAI only the calls. */
  const calls = new Map<unknown, number>();

  const chunk = (delta: Json): StreamStep<unknown> => ({
    kind: 'chunks',
    chunks: [{ ...head, choices: [{ index: 0, delta, finish_reason: null }] }],
  });

  const startBlock = (index: unknown, block: Json): StreamStep<unknown> => {
    if (block['type'] !== 'tool_use') return NOTHING;
    const at = calls.size;
    calls.set(index, at);
    const { id = '', name = '' } = block;
    return chunk({ tool_calls: [{ index: at, id, type: 'function', function: { name, arguments: '' } }] });
  };

  const continueBlock = (index: unknown, delta: Json): StreamStep<unknown> => {
    if (delta['type'] === 'text_delta') return chunk({ content: delta['text'] });
    if (delta['type'] === 'thinking_delta') return chunk({ reasoning_content: delta['thinking'] });
    const at = calls.get(index);
    if (delta['type'] !== 'input_json_delta' || at === undefined) return NOTHING;
    return chunk({ tool_calls: [{ index: at, function: { arguments: delta['partial_json'] } }] });
  };

  return (_event, data) => {
    const json = membersOf(parseJsonText(data));
    switch (json['type']) {
      case 'message_start': {
        const { id, model, usage: first } = objectIn(json['message'], '`message`');
        head = { id, object: 'chat.completion.chunk', created: 0, model };
        usage = membersOf(first);
        return { ...chunk({ role: 'assistant', content: '' }), usageSoFar: usageOf(usage) };
      }
      case 'content_block_start':
        return startBlock(json['index'], objectIn(json['content_block'], '`content_block`'));
      case 'content_block_delta':
        return continueBlock(json['index'], objectIn(json['delta'], '`delta`'));
      case 'message_delta': {
        usage = { ...usage, ...known(json['usage']) };
        const { stop_reason: reason } = objectIn(json['delta'], '`delta`');
        const last = { ...head, choices: [], usage: usageOf(usage) };
        if (reason === null) return { ...NOTHING, usageSoFar: last.usage };
        const finish = {
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

const NOTHING: StreamStep<unknown> = { kind: 'nothing' };

/** Counts that are present. Later counts replace earlier ones, but `null` must not. */
const known = (usage: unknown): Json =>
  Object.fromEntries(Object.entries(membersOf(usage)).filter(([, value]) => value !== null));
