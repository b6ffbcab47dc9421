import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';
import type { Json } from '../../shapes/chat.ts';
import { finishOf, ID, usageOf } from './answer.ts';

/** Decodes the events of ConverseStream. @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export function converseDecoder(): EventDecoder<unknown> {
  /** Number of each tool call by the index of its block. */
  const calls = new Map<unknown, number>();
  const head = { id: ID, object: 'chat.completion.chunk', created: 0 };
  const chunk = (delta: Json, finish: string | null = null): StreamStep<unknown> => ({
    kind: 'chunks',
    chunks: [{ ...head, choices: [{ index: 0, delta, finish_reason: finish }] }],
  });

  const startBlock = (index: unknown, { toolUse }: Json): StreamStep<unknown> => {
    if (toolUse === undefined) return NOTHING;
    const at = calls.size;
    calls.set(index, at);
    const { toolUseId: id = '', name = '' } = membersOf(toolUse);
    return chunk({ tool_calls: [{ index: at, id, type: 'function', function: { name, arguments: '' } }] });
  };
  const continueBlock = (index: unknown, { text, toolUse, reasoningContent }: Json): StreamStep<unknown> => {
    if (text !== undefined) return chunk({ content: text });
    const { text: thought } = membersOf(reasoningContent);
    if (thought !== undefined) return chunk({ reasoning_content: thought });
    const at = calls.get(index);
    if (toolUse === undefined || at === undefined) return NOTHING;
    return chunk({ tool_calls: [{ index: at, function: { arguments: membersOf(toolUse)['input'] } }] });
  };

  return (event, data) => {
    const json = membersOf(parseJsonText(data));
    switch (event) {
      case 'messageStart':
        return chunk({ role: 'assistant', content: '' });
      case 'contentBlockStart':
        return startBlock(json['contentBlockIndex'], membersOf(json['start']));
      case 'contentBlockDelta':
        return continueBlock(json['contentBlockIndex'], membersOf(json['delta']));
      case 'messageStop':
        return chunk({}, finishOf(json['stopReason']));
      case 'metadata':
        return { kind: 'end', chunks: [{ ...head, choices: [], usage: usageOf(json['usage']) }] };
      case 'error':
        return { kind: 'error', body: json };
      case undefined:
      default:
        return NOTHING;
    }
  };
}

const NOTHING: StreamStep<unknown> = { kind: 'nothing' };
