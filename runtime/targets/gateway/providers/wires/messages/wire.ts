import { lookup } from '#core/values/lookup.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { AnthropicBlock, AnthropicMessage, AnthropicUsage } from '../../shapes/messages.ts';
import type { ChatCompletion, ChatMessage, ChatUsage, ToolCall, ChatChunk, Json } from '../../shapes/chat.ts';
import { foreignText } from '../foreign-json.ts';
import { sealSignature, signatureIn } from '../thought-signatures.ts';
import { eventText, type EventEncoder, type StreamSyntax } from '../../streams/stream.ts';
import type { AnswerFacts, ClientWire } from '../request-members.ts';
import { createContentSequence, type ContentPiece } from '../content-sequence.ts';
import { messagesEdits, messagesToChat } from './request.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Translates a response from the internal format to Anthropic's. */
function fromChat({ id, model, choices, usage }: ChatCompletion): AnthropicMessage {
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
  const text = foreignText(content, '`content`');
  const signature = signatureIn(extra);
  return joined([
    ...(thought ? [thinkingBlock(thought)] : []),
    ...(signature === undefined ? [] : [thinkingBlock('', sealSignature('', signature))]),
    ...(text || refusal ? [{ type: 'text', text: text || (refusal ?? '') }] : []),
    ...(calls ?? []).flatMap(callBlocks),
  ]);
}

/** A call. If it has a signature, a block with the signature precedes it. */
function callBlocks({ id, function: called, extra_content: extra }: ToolCall): AnthropicBlock[] {
  const signature = signatureIn(extra);
  return [
    ...(signature === undefined ? [] : [thinkingBlock('', sealSignature(id, signature))]),
    { type: 'tool_use', id, name: called.name, input: inputOf(called.arguments) },
  ];
}

/**
 * Only thinking from Anthropic's models has an Anthropic signature. When a client returns thinking blocks,
 * those without such a signature are removed from requests to Anthropic.
 */
const thinkingBlock = (thinking: string, signature = ''): AnthropicBlock => ({
  type: 'thinking',
  thinking,
  signature,
});

/** Joins thinking with a signature that directly follows it. */
const joined = (blocks: readonly AnthropicBlock[]): AnthropicBlock[] =>
  blocks.reduce<AnthropicBlock[]>((all, block) => {
    const last = all.at(-1);
    const isNext = block.thinking === '' && last?.type === 'thinking' && last['signature'] === '';
    return isNext ? [...all.slice(0, -1), { ...block, thinking: last.thinking ?? '' }] : [...all, block];
  }, []);

/**
 * The arguments of a tool call as an object. Models sometimes write invalid JSON, in which case the
 * client's tool must report the error.
 */
function inputOf(text: string): unknown {
  try {
    const value: unknown = parseJsonText(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const STOP = lookup<string>({
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
});

const stopReason = (finish: string): string => STOP[finish] ?? 'end_turn';

function usageOf(usage: ChatUsage | null | undefined): AnthropicUsage {
  const read = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  const written = usage?.prompt_tokens_details?.cache_write_tokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage?.prompt_tokens ?? 0) - read - written),
    output_tokens: usage?.completion_tokens ?? 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

const TERMINAL = eventText({ type: 'message_stop' }, 'message_stop');

/**
 * Writes chunks as events of Anthropic's Messages API, in which content is a sequence of blocks that start,
 * grow and stop.
 */
function messagesEncoder(_request: Json, { model }: AnswerFacts): EventEncoder {
  let begun = false;
  let finish = 'stop';
  let usage: ChatUsage | undefined;
  let blocks = 0;
  const sequence = createContentSequence();
  /**
   * The content of the block that is currently open: `text`, `thinking`, or a tool call identified by its
   * number.
   */
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
  /**
   * Adds a signature to the preceding thinking. If there is none, the signature is sent in a thinking block
   * without text.
   */
  const sign = (id: string, signature: string): string =>
    grow('thinking', THINKING, { type: 'signature_delta', signature: sealSignature(id, signature) }) +
    stopBlock();
  const encodePiece = (piece: ContentPiece): string => {
    const { kind, text } = piece;
    if (kind === 'thinking') return grow(kind, THINKING, { type: 'thinking_delta', thinking: text });
    if (kind === 'text') return grow(kind, TEXT, { type: 'text_delta', text });
    // Agents show the last block as the response, so a signature that follows the text is omitted. Google
    // does not require it.
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

const messagesSyntax: StreamSyntax = {
  terminal: TERMINAL,
  error: ({ message, code }) =>
    eventText({ type: 'error', error: { type: ERROR_TYPES[code] ?? 'api_error', message, code } }, 'error'),
};

/** Error types that clients of Anthropic's API use to decide whether to retry. */
const ERROR_TYPES = lookup<string>({
  provider_overloaded: 'overloaded_error',
  shutting_down: 'overloaded_error',
  provider_rate_limited: 'rate_limit_error',
  // Requests that have waited in a queue.
  rate_limited: 'rate_limit_error',
  invalid_key: 'authentication_error',
  inactive_key: 'authentication_error',
  expired_key: 'authentication_error',
  invalid_token: 'authentication_error',
  model_not_allowed: 'permission_error',
  user_blocked: 'permission_error',
  provider_timeout: 'timeout_error',
  provider_refused: 'invalid_request_error',
  content_filter: 'invalid_request_error',
});

/** `/v1/messages`. @see https://docs.anthropic.com/en/api/messages */
export const messagesWire: ClientWire = {
  toChat: messagesToChat,
  nativeEdits: messagesEdits,
  fromChat,
  encoder: messagesEncoder,
  syntax: messagesSyntax,
  renames(json, model) {
    if (json['type'] === 'message_start')
      return { message: JSON.stringify({ ...membersOf(json['message']), model }) };
    return json['type'] === 'message' ? { model: JSON.stringify(model) } : undefined;
  },
};
