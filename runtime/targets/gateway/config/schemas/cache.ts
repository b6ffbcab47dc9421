import { Type } from 'typebox';
import { CACHE_SCOPES, CACHE_STORES, QUESTIONS } from '../../requests/cache/cache-settings.ts';
import { choice, count, duration, flag, keys } from './shapes.ts';

const semantic = keys(
  {
    encoder: Type.String({
      minLength: 1,
      description: 'Name of an encoder that creates the vectors of questions.',
    }),
    threshold: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: 1,
        description: 'Minimum cosine similarity of two questions with the same answer (0.97).',
      }),
    ),
    question: choice(
      QUESTIONS,
      'Texts that must be similar: last_message, the message of the user, with everything before it equal; or conversation, the texts of all messages together (last_message).',
    ),
    max_entries: count('Maximum number of vectors in memory (10000).'),
    max_characters: count(
      'Longer questions are not compared, because an encoder reads only the start of a long text (400).',
    ),
    timeout: duration('Maximum time to wait for the encoder; after it, the model is called (1s).'),
  },
  'Also use answers of similar questions. The answer to a similar question can be wrong.',
);

export const cache = keys(
  {
    scope: choice(
      CACHE_SCOPES,
      'Which requests share answers: those with the same key, of the same user, or all (key).',
    ),
    ttl: duration('Maximum age of an answer (1h).'),
    store: choice(
      CACHE_STORES,
      'Where answers are kept: in the memory of each gateway, or also in the database, which several gateways can share (memory).',
    ),
    max_bytes: count('Maximum memory for answers in bytes (64 MiB).'),
    max_stored_bytes: count('Maximum size in bytes of the answers in the database (1 GiB).'),
    max_answer_bytes: count('Larger answers are not cached (1 MiB).'),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Models and aliases whose answers are cached, with `*` as a wildcard (all).',
      }),
    ),
    tool_calls: flag('Cache answers that call tools (false).'),
    sampled: flag('Cache answers to requests that set a temperature above 0 (false).'),
    semantic: Type.Optional(semantic),
  },
  'Cache of answers. Without this section, no answer is cached.',
);
