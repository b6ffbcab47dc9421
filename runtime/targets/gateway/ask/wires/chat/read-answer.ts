import { isObject } from '../../../../../core/json/is-object.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import { checkedUsage } from '../../streams/tally.ts';
import { countOr, objectsIn, textIn, textOr } from '../foreign-json.ts';
import { readCall, readCallDelta } from './read-call.ts';
import type {
  ChatChunk,
  ChatCompletion,
  ChatMessage,
  ChunkChoice,
  ChunkDelta,
  Json,
} from '../../shapes/chat.ts';

/** Who an answer is read for. */
export interface Reading {
  /** Another wire is to tell it, which has a word for functions alone. */
  readonly isTranslated: boolean;
}

/**
 * An answer as all may rely on that it is, whoever wrote it. Throws for one that cannot be understood. The bytes themselves go to
 * clients of the same wire.
 */
export function readCompletion(answer: unknown, reading: Reading): ChatCompletion {
  if (!isObject(answer)) throw new Error('The answer is no object.');
  const choices = objectsIn(answer['choices'], '`choices`');
  if (choices.length === 0) throw new Error('The answer has no choices.');
  return {
    id: textOr(answer['id'], 'gateway'),
    object: 'chat.completion',
    created: countOr(answer['created'], 0),
    model: textOr(answer['model'], ''),
    choices: choices.map((choice, at) => ({
      index: countOr(choice['index'], at),
      message: readMessage(choice['message'], reading),
      finish_reason: textOr(choice['finish_reason'], null),
    })),
    usage: checkedUsage(answer['usage']),
  };
}

function readMessage(message: unknown, { isTranslated }: Reading): ChatMessage {
  if (!isObject(message)) throw new Error('A choice has no message.');
  const { content, refusal, thought } = textsIn(message);
  const calls = objectsIn(message['tool_calls'], '`tool_calls`');
  return {
    // Whatever else is in there may be what the model says, too.
    ...message,
    role: 'assistant',
    content: content ?? null,
    ...(refusal && { refusal }),
    ...(thought && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls.map((call, at) => readCall(call, at, isTranslated)) }),
  };
}

/** The events of a stream, read in the same way. */
export const readingDecoder =
  (decode: EventDecoder, reading: Reading): EventDecoder =>
  (event, data) => {
    const step = decode(event, data);
    if (!('chunks' in step) || !step.chunks) return step;
    return { ...step, chunks: step.chunks.map((chunk) => readChunk(chunk, reading)) };
  };

function readChunk(chunk: unknown, reading: Reading): ChatChunk {
  if (!isObject(chunk)) throw new Error('The event is no chunk.');
  const { id, model, choices } = chunk;
  return {
    ...(typeof id === 'string' && { id }),
    object: 'chat.completion.chunk',
    created: countOr(chunk['created'], 0),
    ...(typeof model === 'string' && { model }),
    ...(choices !== undefined &&
      choices !== null && {
        choices: objectsIn(choices, '`choices`').map((choice, at) => readChoice(choice, at, reading)),
      }),
    usage: checkedUsage(chunk['usage']),
  };
}

function readChoice(choice: Json, at: number, reading: Reading): ChunkChoice {
  const delta = choice['delta'] ?? {};
  if (!isObject(delta)) throw new Error('`delta` is no object.');
  return {
    index: countOr(choice['index'], at),
    delta: readDelta(delta, reading),
    finish_reason: textOr(choice['finish_reason'], null),
  };
}

function readDelta(delta: Json, { isTranslated }: Reading): ChunkDelta {
  const { content, refusal, thought } = textsIn(delta);
  const calls = delta['tool_calls'];
  return {
    // Whatever else is in there may be what the model says first.
    ...delta,
    content: content ?? null,
    refusal: refusal ?? null,
    reasoning_content: thought ?? null,
    tool_calls: calls
      ? objectsIn(calls, '`tool_calls`').map((call, at) => readCallDelta(call, at, isTranslated))
      : null,
  };
}

const textsIn = (said: Json) => ({
  content: textIn(said['content'], '`content`'),
  refusal: textIn(said['refusal'], '`refusal`'),
  thought: textIn(said['reasoning_content'] ?? said['reasoning'], '`reasoning`'),
});
