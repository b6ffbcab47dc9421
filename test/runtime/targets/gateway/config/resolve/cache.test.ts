import { expect, test } from 'vitest';
import { CACHE_DEFAULTS, SEMANTIC_DEFAULTS } from '#gateway/requests/cache/cache-settings.ts';
import { read } from '../read.ts';

test('caching is off if the section for it is missing, and uses the defaults if the section is empty', async () => {
  expect((await read({})).models.cache).toBeUndefined();
  expect((await read({ cache: {} })).models.cache).toEqual(CACHE_DEFAULTS);
});

test('reads every cache setting', async () => {
  const { models } = await read({
    encoders: { words: { url: 'http://127.0.0.1:9' } },
    cache: {
      scope: 'shared',
      ttl: '24h',
      store: 'database',
      max_bytes: 1,
      max_stored_bytes: 2,
      max_answer_bytes: 3,
      models: ['cloud:*'],
      tool_calls: true,
      sampled: true,
      semantic: {
        encoder: 'Words',
        threshold: 0.99,
        question: 'conversation',
        max_entries: 4,
        max_characters: 5,
        timeout: '2s',
      },
    },
  });
  expect(models.cache).toEqual({
    scope: 'shared',
    ttlMs: 86_400_000,
    store: 'database',
    maxBytes: 1,
    maxStoredBytes: 2,
    maxAnswerBytes: 3,
    models: ['cloud:*'],
    toolCalls: true,
    sampled: true,
    semantic: {
      ...SEMANTIC_DEFAULTS,
      encoder: 'words',
      threshold: 0.99,
      question: 'conversation',
      maxEntries: 4,
      maxCharacters: 5,
      timeoutMs: 2000,
    },
  });
});
