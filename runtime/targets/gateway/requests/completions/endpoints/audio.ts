import { type TSchema, Type } from 'typebox';
import { SPOKEN_TOKENS_PER_CHARACTER } from '../../../providers/adapters/relay.ts';
import { AUDIO_EVENTS } from '../../../providers/adapters/openai/audio.ts';
import type { RelayRoute } from '../../../providers/adapters/other-calls.ts';
import {
  modelSchema,
  openObject,
  optionalOrNull,
  streams,
  userName,
  type EndpointRules,
} from './endpoint.ts';
import { relayed } from './openai.ts';

/**
 * Tokens per second of audio, as published by OpenAI, and tokens per second in the transcript of a fast
 * speaker.
 */
const HEARD_TOKENS_PER_SECOND = 10;
const WRITTEN_TOKENS_PER_SECOND = 6;

const form = (id: string, description: string, more: Record<string, TSchema> = {}): TSchema =>
  openObject(
    {
      model: modelSchema,
      prompt: Type.Optional(Type.String({ description: 'Text that guides the style of the transcription.' })),
      response_format: Type.Optional(Type.String({ description: 'For example `json`, `text` or `srt`.' })),
      user: userName,
      ...more,
    },
    { $id: id, description },
  );

/** Rules for a form with an audio file. */
const heard = (route: RelayRoute, schema: TSchema): EndpointRules => ({
  ...relayed(route, schema),
  fileField: 'file',
  isAudio: true,
  syntax: AUDIO_EVENTS.syntax,
  audio: (_body, seconds) => ({ seconds, audioInput: Math.ceil(seconds * HEARD_TOKENS_PER_SECOND) }),
  maxOutputTokens: (_body, _assumed, seconds = 0) => Math.ceil(seconds * WRITTEN_TOKENS_PER_SECOND) + 10,
});

/** @see https://platform.openai.com/docs/api-reference/audio/createTranscription */
export const transcriptionsEndpoint = heard(
  'audio_transcriptions',
  form(
    'TranscriptionRequest',
    'An OpenAI transcription request. Other fields are sent to the provider unchanged.',
    { stream: streams },
  ),
);

/** @see https://platform.openai.com/docs/api-reference/audio/createTranslation */
export const translationsEndpoint = heard(
  'audio_translations',
  form(
    'TranslationRequest',
    'An OpenAI translation request. Other fields are sent to the provider unchanged.',
  ),
);

/** @see https://platform.openai.com/docs/api-reference/audio/createSpeech */
export const speechEndpoint: EndpointRules = {
  ...relayed(
    'audio_speech',
    openObject(
      {
        model: modelSchema,
        input: Type.String({ minLength: 1, description: 'Text to convert to speech.' }),
        stream_format: optionalOrNull(Type.String(), '`audio` or `sse`.'),
        user: userName,
      },
      {
        $id: 'SpeechRequest',
        description: 'An OpenAI speech request. Other members are sent to the provider unchanged.',
      },
    ),
  ),
  isAudio: true,
  audio: ({ input }) => {
    const characters = typeof input === 'string' ? Array.from(input).length : 0;
    return { characters, audioOutput: Math.ceil(characters * SPOKEN_TOKENS_PER_CHARACTER) };
  },
  // Twice the estimate, because slow speech takes about twice as long.
  maxOutputTokens: ({ input }) =>
    typeof input === 'string' ? Math.ceil(input.length * SPOKEN_TOKENS_PER_CHARACTER * 2) : 0,
};
