import type { OpenAiDialect, ProviderAdapter, UpstreamWire } from '../provider.ts';
import { OPENAI_DIALECT } from '../presets.ts';
import { completionsUpstream } from './completions.ts';
import { openAiEmbeddings } from './embeddings.ts';
import { openAiErrorText } from './errors.ts';
import { openAiModels } from './models.ts';
import { openAiEdits, openAiRequest, withoutExtraContent } from './request.ts';
import { responsesWire } from './responses.ts';
import { openAiTokenCount } from './token-count.ts';
import { AUDIO_EVENTS } from './audio.ts';
import { hiddenUsage, openAiDecoder } from './stream.ts';

/** The APIs of audio have no member for a user, and reject unknown ones. */
const NO_USER = { user: undefined };

/** Providers with OpenAI's API. @see https://platform.openai.com/docs/api-reference */
export function openAiAdapter(
  own: Partial<OpenAiDialect> = {},
  { isGoogle }: { readonly isGoogle: boolean } = { isGoogle: false },
): ProviderAdapter {
  const dialect = { ...OPENAI_DIALECT, ...own };
  const wire: UpstreamWire = {
    path: () => '/chat/completions',
    decoder: () => openAiDecoder,
    // Answers are already in the internal format.
    answer: (body) => body,
    edits: (body, model) => openAiEdits(body, model, dialect),
    hidden: (body) => hiddenUsage(body, dialect),
  };
  return {
    type: 'openai',
    headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    native: {
      chat: wire,
      completions: completionsUpstream(dialect),
      ...(dialect.hasResponses && { responses: responsesWire }),
    },
    translated: {
      wire,
      request: (chat, model) => openAiRequest(isGoogle ? chat : withoutExtraContent(chat), model, dialect),
    },
    embeddings: openAiEmbeddings,
    relays: {
      moderations: { path: () => '/moderations', requiredList: 'results' },
      rerank: { path: () => '/rerank', requiredList: 'results' },
      image_generations: { path: () => '/images/generations', requiredList: 'data' },
      audio_transcriptions: { path: () => '/audio/transcriptions', events: AUDIO_EVENTS, edits: NO_USER },
      audio_translations: { path: () => '/audio/translations', edits: NO_USER },
      audio_speech: { path: () => '/audio/speech', events: AUDIO_EVENTS, isRaw: true, edits: NO_USER },
    },
    ...(dialect.hasResponses && { tokenCount: openAiTokenCount }),
    hasObjects: true,
    realtimePath: (model) => `/realtime?model=${encodeURIComponent(model)}`,
    models: openAiModels,
    errorText: openAiErrorText,
  };
}
