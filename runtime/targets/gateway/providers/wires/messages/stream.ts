import type { EventEncoder, StreamSyntax } from '../../streams/stream.ts';
import { eventText } from '../../streams/event-text.ts';
import type { ChatChunk, ChatUsage, Json } from '../../shapes/chat.ts';
import type { AnswerFacts } from '../client-wire.ts';
import { type ContentPiece, createContentSequence } from '../content-sequence.ts';
import { sealSignature } from '../thought-signatures.ts';
import { stopReason, thinkingBlock, usageOf } from './answer.ts';

const TERMINAL = eventText({ type: 'message_stop' }, 'message_stop');

/** Writes chunks as events of Anthropic's Messages API, where content is a sequence of blocks that start, grow and stop. */
export function messagesEncoder(_request: Json, { model }: AnswerFacts): EventEncoder {
  let begun = false;
  let finish = 'stop';
  let usage: ChatUsage | undefined;
  let blocks = 0;
  const sequence = createContentSequence();
  /** Content of the open block: `text`, `thinking`, or a tool call by its number. */
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
  /** Signs the thinking before; without one, a block without text has the signature. */
  const sign = (id: string, signature: string): string =>
    grow('thinking', THINKING, { type: 'signature_delta', signature: sealSignature(id, signature) }) +
    stopBlock();
  const encodePiece = (piece: ContentPiece): string => {
    const { kind, text } = piece;
    if (kind === 'thinking') return grow(kind, THINKING, { type: 'thinking_delta', thinking: text });
    if (kind === 'text') return grow(kind, TEXT, { type: 'text_delta', text });
    // Agents show the last block as the answer, so a signature that follows the text is left out. Google does not require it.
    if (kind === 'signature') return open?.startsWith('text') ? '' : sign('', text);
    const { number, id = `toolu_${number}`, name, signature } = piece.call;
    const signed = signature === undefined || open === `tool ${number}` ? '' : sign(id, signature);
    return (
      signed +
      grow(
        `tool ${number}`,
        { type: 'tool_use', id, name, input: {} },
        text === '' ? undefined : { type: 'input_json_delta', partial_json: text },
      )
    );
  };
  const encodeChunk = (chunk: ChatChunk): string => {
    usage = chunk.usage ?? usage;
    const choice = chunk.choices?.find(({ index }) => index === 0);
    finish = choice?.finish_reason ?? finish;
    return begin(chunk) + (choice?.delta ? sequence.take(choice.delta).map(encodePiece).join('') : '');
  };

  return {
    encode: (chunks) => chunks.map(encodeChunk).join(''),
    end: () => ({
      last:
        begin({}) +
        sequence.end().map(encodePiece).join('') +
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
const THINKING = thinkingBlock('');

export const messagesSyntax: StreamSyntax = {
  terminal: TERMINAL,
  error: ({ message, code }) =>
    eventText({ type: 'error', error: { type: ERROR_TYPES[code] ?? 'api_error', message, code } }, 'error'),
};

/** Types by which clients of Anthropic's API decide whether to retry. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  provider_overloaded: 'overloaded_error',
  shutting_down: 'overloaded_error',
  provider_rate_limited: 'rate_limit_error',
  provider_timeout: 'timeout_error',
  provider_refused: 'invalid_request_error',
  content_filter: 'invalid_request_error',
};
