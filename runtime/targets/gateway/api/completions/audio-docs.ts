import { Type } from 'typebox';
import type { Endpoint } from '../../requests/completions/completion.ts';
import { answerOf, usage } from './answer-schemas.ts';
import { type EndpointDocs, PASSED_THROUGH } from './docs.ts';

const AUDIO_NOTE = `The file is sent to the provider as it is, as are the other fields.`;

export const AUDIO_DOCS: Readonly<Record<Extract<Endpoint, `/v1/audio/${string}`>, EndpointDocs>> = {
  '/v1/audio/transcriptions': {
    id: 'createTranscription',
    summary: 'Transcribe an audio file, in the format of OpenAI’s audio API.',
    description: `${AUDIO_NOTE} With \`stream=true\`, the text is sent as events.`,
    request: { model: 'openai:whisper-1', file: 'RIFF...', response_format: 'json' },
    answer: answerOf({ text: Type.String(), usage }, 'The answer of the provider.'),
    example: { text: 'Hello!', usage: { type: 'duration', seconds: 2 } },
    streams: true,
    otherTypes: ['text/plain'],
  },
  '/v1/audio/translations': {
    id: 'createTranslation',
    summary: 'Translate the speech of an audio file into English, in the format of OpenAI’s audio API.',
    description: AUDIO_NOTE,
    request: { model: 'openai:whisper-1', file: 'RIFF...' },
    answer: answerOf({ text: Type.String(), usage }, 'The answer of the provider.'),
    example: { text: 'Hello!' },
    streams: false,
    otherTypes: ['text/plain'],
  },
  '/v1/audio/speech': {
    id: 'createSpeech',
    summary: 'Speak a text, in the format of OpenAI’s audio API.',
    description: `${PASSED_THROUGH} Audio is sent as it arrives. With \`stream_format: sse\`, it is sent as events.`,
    request: { model: 'openai:tts-1', input: 'Hello!', voice: 'alloy' },
    answer: Type.String({ format: 'binary' }),
    example: 'ID3...',
    answerType: 'audio/mpeg',
    streams: true,
    otherTypes: ['application/octet-stream'],
  },
};
