import type { EventEncoder, StreamWords } from '../../streams/api.ts';
import { eventText } from '../../streams/event-text.ts';
import type { ChatChunk, ChatUsage, ChunkDelta, Json, ToolCallDelta } from '../chat/shape.ts';
import type { AnswerFacts } from '../client-wire.ts';
import { stopReason, usageOf } from './answer.ts';

const TERMINAL = eventText({ type: 'message_stop' }, 'message_stop');

/** Chunks as the events of Anthropic's messages: each kind of content is a block that starts, grows and stops. */
export function messagesEncoder(_request: Json, { model }: AnswerFacts): EventEncoder {
  let begun = false;
  let finish = 'stop';
  let usage: ChatUsage | undefined;
  let blocks = 0;
  /** What the open block holds: `text`, `thinking`, or the call of a tool by its index. */
  let open: string | undefined;

  const emit = (event: { readonly type: string } & Json): string => eventText(event, event.type);
  const begin = ({ id }: ChatChunk): string => {
    if (begun) return '';
    begun = true;
    const message = {
      id: id ?? 'msg_gateway',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(undefined),
    };
    return emit({ type: 'message_start', message });
  };
  const stopBlock = (): string => {
    if (open === undefined) return '';
    open = undefined;
    return emit({ type: 'content_block_stop', index: blocks - 1 });
  };
  const grow = (kind: string, block: Json, delta: Json | undefined): string => {
    let text = '';
    if (open !== kind) {
      text += stopBlock();
      open = kind;
      blocks += 1;
      text += emit({ type: 'content_block_start', index: blocks - 1, content_block: block });
    }
    return delta ? text + emit({ type: 'content_block_delta', index: blocks - 1, delta }) : text;
  };
  const growCall = ({ index, id, function: called }: ToolCallDelta): string =>
    grow(
      `tool ${index}`,
      { type: 'tool_use', id: id ?? `toolu_${index}`, name: called?.name ?? '', input: {} },
      called?.arguments ? { type: 'input_json_delta', partial_json: called.arguments } : undefined,
    );
  const encodeDelta = (delta: ChunkDelta): string => {
    const thought = delta.reasoning_content ?? delta.reasoning;
    const said = delta.content || delta.refusal;
    return [
      thought ? grow('thinking', THINKING, { type: 'thinking_delta', thinking: thought }) : '',
      said ? grow('text', TEXT, { type: 'text_delta', text: said }) : '',
      ...(delta.tool_calls ?? []).map(growCall),
    ].join('');
  };
  const encodeChunk = (chunk: ChatChunk): string => {
    usage = chunk.usage ?? usage;
    const choice = chunk.choices?.find(({ index }) => index === 0);
    finish = choice?.finish_reason ?? finish;
    return begin(chunk) + (choice?.delta ? encodeDelta(choice.delta) : '');
  };

  return {
    encode: (chunks) => chunks.map(encodeChunk).join(''),
    end: () => ({
      last:
        begin({}) +
        stopBlock() +
        emit({
          type: 'message_delta',
          delta: { stop_reason: stopReason(finish), stop_sequence: null },
          usage: usageOf(usage),
        }),
      terminal: TERMINAL,
    }),
  };
}

const TEXT = { type: 'text', text: '' };
const THINKING = { type: 'thinking', thinking: '', signature: '' };

export const messagesWords: StreamWords = {
  terminal: TERMINAL,
  error: ({ message, code }) =>
    eventText({ type: 'error', error: { type: 'api_error', message, code } }, 'error'),
};
