import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamSyntax } from '../../streams/stream.ts';
import type { Json } from '../../shapes/chat.ts';
import { relayUsage } from '../relay.ts';

/**
 * The events of transcription and speech streams. @see https://platform.openai.com/docs/api-reference/audio
 */
const decoder: EventDecoder<unknown> = (_event, data) => {
  // Some servers end these streams with the same marker as chat streams.
  if (data === '[DONE]') return { kind: 'end' };
  const event: Json = membersOf(parseJsonText(data));
  const { type, error, delta } = event;
  if (type === 'error' || (error !== undefined && error !== null)) return { kind: 'error', body: event };
  if (type === 'transcript.text.done' || type === 'speech.audio.done') {
    const usage = relayUsage(event, 'audio_transcriptions');
    const counts = usage && {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      prompt_tokens_details: { audio_tokens: usage.audio?.audioInput },
    };
    return { kind: 'end', chunks: [{ choices: [{ index: 0, finish_reason: 'stop' }], usage: counts }] };
  }
  if (type === 'speech.audio.delta') return SPOKEN;
  return typeof delta === 'string' && delta !== ''
    ? { kind: 'chunks', chunks: [{ choices: [{ index: 0, delta: { content: delta } }] }] }
    : { kind: 'nothing' };
};

/** An event that contains audio. The length of the encoded audio does not correspond to its tokens. */
const SPOKEN = {
  kind: 'chunks',
  chunks: [{ choices: [{ index: 0, delta: { audio: {} } }] }],
} as const;

const syntax: StreamSyntax = {
  terminal: '',
  error: ({ message, code }) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: { message, type: 'server_error', code } })}\n\n`,
};

export const AUDIO_EVENTS = { decoder, syntax };
