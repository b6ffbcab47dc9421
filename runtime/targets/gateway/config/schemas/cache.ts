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
      description: 'Name of an encoder that creates the vectors of questions.',
    }),
    threshold: numberSetting(
      'Minimum cosine similarity of two questions with the same answer.',
      { minimum: 0.5, maximum: 1 },
      SEMANTIC_DEFAULTS.threshold,
    ),
    question: choice(
      QUESTIONS,
      'Texts that must be similar: last_message, the message of the user, with everything before it equal; or conversation, the texts of all messages together.',
      SEMANTIC_DEFAULTS.question,
    ),
    max_entries: countSetting('Maximum number of vectors in memory.', SEMANTIC_DEFAULTS.maxEntries),
    max_characters: countSetting(
      'Longer questions are not compared, because an encoder reads only the start of a long text.',
      SEMANTIC_DEFAULTS.maxCharacters,
    ),
    timeout: durationSetting(
      'Maximum time to wait for the encoder; after it, the model is called.',
      durationText(SEMANTIC_DEFAULTS.timeoutMs),
    ),
  },
  'Also use answers of similar questions. The answer to a similar question can be wrong.',
);

export const cache = keys(
  {
    scope: choice(
      CACHE_SCOPES,
      'Which requests share answers: those with the same key, of the same user, or all.',
      CACHE_DEFAULTS.scope,
    ),
    ttl: durationSetting('Maximum age of an answer.', durationText(CACHE_DEFAULTS.ttlMs)),
    store: choice(
      CACHE_STORES,
      'Where answers are kept: in the memory of each gateway, or also in the database, which several gateways can share.',
      CACHE_DEFAULTS.store,
    ),
    max_bytes: countSetting('Maximum memory for answers in bytes.', CACHE_DEFAULTS.maxBytes),
    max_stored_bytes: countSetting(
      'Maximum size in bytes of the answers in the database.',
      CACHE_DEFAULTS.maxStoredBytes,
    ),
    max_answer_bytes: countSetting(
      'Size in bytes above which an answer is not cached.',
      CACHE_DEFAULTS.maxAnswerBytes,
    ),
    models: listSetting(
      'Models and aliases whose answers are cached, with `*` as a wildcard.',
      computed('all'),
    ),
    tool_calls: flagSetting('Cache answers that call tools.', CACHE_DEFAULTS.toolCalls),
    sampled: flagSetting('Cache answers to requests that set a temperature above 0.', CACHE_DEFAULTS.sampled),
    semantic: Type.Optional(semantic),
  },
  'Cache of answers. Without this section, no answer is cached.',
);
