import { expect, test } from 'vitest';
import { anthropicUsage } from '#gateway/providers/adapters/anthropic/answer.ts';
import type { AnthropicUsage } from '#gateway/providers/shapes/messages.ts';
import { readUsage } from '#gateway/providers/streams/tally.ts';

const TOLD = { input_tokens: 11, output_tokens: 15, cache_read_input_tokens: 8 };

test.each<[string, AnthropicUsage, prompt: number, written: number, hour: number]>([
  [
    'both kinds of cache writes',
    {
      ...TOLD,
      cache_creation_input_tokens: 6,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 2 },
    },
    25,
    6,
    2,
  ],
  ['cache writes without a breakdown', { ...TOLD, cache_creation_input_tokens: 6 }, 25, 6, 0],
  [
    'cache writes with a null breakdown',
    { ...TOLD, cache_creation_input_tokens: 6, cache_creation: null },
    25,
    6,
    0,
  ],
  [
    'a breakdown without a total',
    { ...TOLD, cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 2 } },
    25,
    6,
    2,
  ],
  [
    'more 1-hour writes than cache writes',
    { ...TOLD, cache_creation_input_tokens: 6, cache_creation: { ephemeral_1h_input_tokens: 60 } },
    25,
    6,
    6,
  ],
  [
    'an invalid number of 1-hour writes',
    {
      ...TOLD,
      cache_creation_input_tokens: 6,
      cache_creation: { ephemeral_1h_input_tokens: '2' as unknown as number },
    },
    25,
    6,
    0,
  ],
  ['no cache writes', TOLD, 19, 0, 0],
])('reads usage with %s', (_what, usage, promptTokens, cacheWriteTokens, cacheWrite1hTokens) => {
  expect(readUsage(anthropicUsage(usage))).toEqual({
    promptTokens,
    completionTokens: 15,
    cachedTokens: 8,
    cacheWriteTokens,
    cacheWrite1hTokens,
    reasoningTokens: 0,
  });
});
