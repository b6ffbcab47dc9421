import { Type } from 'typebox';
import { durationText } from '#core/time/duration.ts';
import {
  CACHE_DEFAULTS,
  CACHE_SCOPES,
  CACHE_STORES,
  QUESTIONS,
  SEMANTIC_DEFAULTS,
} from '../../requests/cache/cache-settings.ts';
import {
  choice,
  computed,
  countSetting,
  durationSetting,
  flagSetting,
  keys,
  listSetting,
  numberSetting,
} from './shapes.ts';

const semantic = keys(
  {
    encoder: Type.String({
      minLength: 1,
      description: 'Name of the encoder that embeds questions.',
    }),
    threshold: numberSetting(
      'Minimum cosine similarity at which two questions share a response.',
      { minimum: 0.5, maximum: 1 },
      SEMANTIC_DEFAULTS.threshold,
    ),
    question: choice(
      QUESTIONS,
      'Texts that must be similar: last_message, the user’s message, with everything before it identical; or conversation, the texts of all messages together.',
      SEMANTIC_DEFAULTS.question,
    ),
    max_entries: countSetting('Maximum number of vectors in memory.', SEMANTIC_DEFAULTS.maxEntries),
    max_characters: countSetting(
      'Maximum question length. Longer questions are not compared, because an encoder only reads the start of a long text.',
      SEMANTIC_DEFAULTS.maxCharacters,
    ),
    timeout: durationSetting(
      'Maximum time to wait for the encoder before the model is called.',
      durationText(SEMANTIC_DEFAULTS.timeoutMs),
    ),
  },
  'Also return cached responses to similar questions. Such a response can be wrong for the new question.',
);

export const cache = keys(
  {
    scope: choice(
      CACHE_SCOPES,
      'Which requests share responses: requests with the same key, requests from the same user, or all requests.',
      CACHE_DEFAULTS.scope,
    ),
    ttl: durationSetting('Maximum age of a response.', durationText(CACHE_DEFAULTS.ttlMs)),
    store: choice(
      CACHE_STORES,
      'Where to keep responses: only in the memory of each gateway, or also in the database, which several gateways can share.',
      CACHE_DEFAULTS.store,
    ),
    max_bytes: countSetting('Maximum memory for responses in bytes.', CACHE_DEFAULTS.maxBytes),
    max_stored_bytes: countSetting(
      'Maximum total size in bytes of the responses in the database.',
      CACHE_DEFAULTS.maxStoredBytes,
    ),
    max_answer_bytes: countSetting(
      'Size in bytes above which a response is not cached.',
      CACHE_DEFAULTS.maxAnswerBytes,
    ),
    models: listSetting(
      'Models and aliases whose responses are cached, with `*` as a wildcard.',
      computed('all'),
    ),
    tool_calls: flagSetting('Cache responses that call tools.', CACHE_DEFAULTS.toolCalls),
    sampled: flagSetting(
      'Cache responses to requests that set a temperature above 0.',
      CACHE_DEFAULTS.sampled,
    ),
    semantic: Type.Optional(semantic),
  },
  'Response cache. Without this section, no response is cached.',
);
