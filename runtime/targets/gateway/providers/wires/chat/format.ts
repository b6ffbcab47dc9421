import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { MemberEdits } from '../../../shared/json-members.ts';
import { DONE_TEXT, eventText, type EventDecoder, type StreamSyntax } from '../../streams/stream.ts';
import { checkedUsage } from '../../streams/tally.ts';
import { countOr, objectsIn, foreignText, textOr } from '../foreign-json.ts';
import { withoutSealed } from '../thought-signatures.ts';
import type {
  ChatChunk,
  ChatCompletion,
  ChatMessage,
  ChunkChoice,
  ChunkDelta,
  Json,
  ExtraContent,
  ToolCall,
  ToolCallDelta,
} from '../../shapes/chat.ts';

// The chat completions format, which is also the internal format: logic that also applies to requests and
// responses that are not translated.

/** Whether a message or one of its calls has a Gemini signature. */
export const isSigned = (message: unknown): boolean =>
  memberOf(message, 'extra_content') !== undefined ||
  [memberOf(message, 'tool_calls')].flat().some((call) => memberOf(call, 'extra_content') !== undefined);

/** Removes signatures in the gateway's own format, which providers cannot read. */
export function nativeEdits({ messages }: Json): MemberEdits {
  if (!Array.isArray(messages) || !messages.some(isSigned)) return {};
  const left = messages.map((message: Json) => {
    const { tool_calls: calls } = message;
    return {
      ...withoutSealed(message),
      ...(Array.isArray(calls) && { tool_calls: calls.map(withoutSealed) }),
    };
  });
  return { messages: JSON.stringify(left) };
}

export const requestsUsage = (request: Json): boolean =>
  memberOf(request['stream_options'], 'include_usage') === true;

export const isUsageOnly = ({ usage, choices }: ChatChunk): boolean =>
  usage !== undefined && usage !== null && choices?.length === 0;

export const chatSyntax: StreamSyntax = {
  terminal: DONE_TEXT,
  error: ({ message, code }) =>
    `${eventText({ error: { message, type: 'server_error', param: null, code } })}${DONE_TEXT}`,
};

/** How to read a response. */
interface ReadOptions {
  /**
   * Whether the response is translated to another API. In that case, only function calls are supported.
   */
  readonly isTranslated: boolean;
}

/**
 * Validates and normalizes any provider's response. Throws if it is invalid. Clients of the provider's own
 * API still receive the original bytes.
 */
export function readCompletion(answer: unknown, options: ReadOptions): ChatCompletion {
  if (!isObject(answer)) throw new Error('The response is not an object.');
  const choices = objectsIn(answer['choices'], '`choices`');
  if (choices.length === 0) throw new Error('The response has no choices.');
  return {
    id: textOr(answer['id'], 'gateway'),
    object: 'chat.completion',
    created: countOr(answer['created'], 0),
    model: textOr(answer['model'], ''),
    choices: choices.map((choice, at) => ({
      index: countOr(choice['index'], at),
      message: readMessage(choice['message'], options),
      finish_reason: textOr(choice['finish_reason'], null),
    })),
    usage: checkedUsage(answer['usage']),
  };
}

function readMessage(message: unknown, { isTranslated }: ReadOptions): ChatMessage {
  if (!isObject(message)) throw new Error('A choice has no `message`.');
  const { content, refusal, thought } = textsIn(message);
  const calls = objectsIn(message['tool_calls'], '`tool_calls`');
  return {
    // Unknown members are kept, because they can contain model output.
    ...message,
    role: 'assistant',
    content: content ?? null,
    ...(refusal && { refusal }),
    ...(thought && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls.map((call, at) => readCall(call, at, isTranslated)) }),
  };
}

/** Validates and normalizes stream events in the same way as `readCompletion`. */
export const checkedDecoder =
  (decode: EventDecoder<unknown>, options: ReadOptions): EventDecoder =>
  (event, data) => {
    const step = decode(event, data);
    if (step.kind === 'nothing' || step.kind === 'error') return step;
    const chunks = step.chunks?.map((chunk) => readChunk(chunk, options));
    if (step.kind === 'end') return { ...step, kind: 'end', chunks };
    return { ...step, kind: 'chunks', chunks: chunks ?? [] };
  };

function readChunk(chunk: unknown, options: ReadOptions): ChatChunk {
  if (!isObject(chunk)) throw new Error('The event is not an object.');
  const { id, model, choices } = chunk;
  return {
    ...(typeof id === 'string' && { id }),
    object: 'chat.completion.chunk',
    created: countOr(chunk['created'], 0),
    ...(typeof model === 'string' && { model }),
    ...(choices !== undefined &&
      choices !== null && {
        choices: objectsIn(choices, '`choices`').map((choice, at) => readChoice(choice, at, options)),
      }),
    usage: checkedUsage(chunk['usage']),
  };
}

function readChoice(choice: Json, at: number, options: ReadOptions): ChunkChoice {
  const delta = choice['delta'] ?? {};
  if (!isObject(delta)) throw new Error('`delta` is not an object.');
  return {
    index: countOr(choice['index'], at),
    delta: readDelta(delta, options),
    finish_reason: textOr(choice['finish_reason'], null),
  };
}

function readDelta(delta: Json, { isTranslated }: ReadOptions): ChunkDelta {
  const { content, refusal, thought } = textsIn(delta);
  const calls = delta['tool_calls'];
  return {
    // Unknown members are kept, because they can contain model output.
    ...delta,
    content: content ?? null,
    refusal: refusal ?? null,
    reasoning_content: thought ?? null,
    tool_calls: calls
      ? objectsIn(calls, '`tool_calls`').map((call, at) => readCallDelta(call, at, isTranslated))
      : null,
  };
}

const textsIn = (message: Json) => ({
  content: foreignText(message['content'], '`content`'),
  refusal: foreignText(message['refusal'], '`refusal`'),
  thought: foreignText(message['reasoning_content'] ?? message['reasoning'], '`reasoning`'),
});

/** Reads a tool call. Throws if the call must be translated to an API that cannot express it. */
function readCall(call: Json, at: number, isTranslated: boolean): ToolCall {
  const called = readCalled(call, isTranslated);
  const { name = '', arguments: text = '' } = called.function ?? {};
  if (isTranslated && name === '') throw new Error('A tool call has no function name.');
  return {
    ...called,
    id: textOr(call['id'], `call_${at}`),
    type: 'function',
    function: { name, arguments: text },
  };
}

/** Reads a partial tool call in a stream. */
function readCallDelta(call: Json, at: number, isTranslated: boolean): ToolCallDelta {
  const { id } = call;
  return {
    ...readCalled(call, isTranslated),
    index: countOr(call['index'], at),
    ...(typeof id === 'string' && { id, type: 'function' as const }),
  };
}

function readCalled({ function: called, custom, extra_content: extra }: Json, isTranslated: boolean): Called {
  if (called !== undefined && called !== null && !isObject(called))
    throw new Error('`function` is not an object.');
  if (isTranslated && custom !== undefined) throw new Error('A tool call is not a function call.');
  return {
    ...(called && {
      function: { name: textOr(called['name'], ''), arguments: argumentsIn(called['arguments']) },
    }),
    ...(isObject(custom) && {
      custom: { name: textOr(custom['name'], ''), input: textOr(custom['input'], '') },
    }),
    ...(isObject(extra) && { extra_content: extra }),
  };
}

interface Called {
  readonly function?: { readonly name: string; readonly arguments: string };
  readonly extra_content?: ExtraContent;
}

/** The arguments as text. Some providers send an object instead of JSON text. */
const argumentsIn = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : textOr(value, ''));
