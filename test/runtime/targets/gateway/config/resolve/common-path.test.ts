import { expect, test } from 'vitest';
import { problems, read } from '../read.ts';

test.each([
  ['openai', 'https://api.openai.com', 'https://api.openai.com/v1'],
  ['openai', 'https://proxy.example/v1', 'https://proxy.example/v1'],
  ['openai-compatible', 'http://10.0.0.7:8000', 'http://10.0.0.7:8000/v1'],
  ['openai-compatible', 'http://10.0.0.7:8000/', 'http://10.0.0.7:8000/'],
  ['openai-compatible', 'https://api.perplexity.ai', 'https://api.perplexity.ai'],
  ['openai-compatible', 'https://api.groq.com', 'https://api.groq.com/openai/v1'],
  [
    'openai-compatible',
    'https://x.openai.azure.com/openai/v1?api-version=preview',
    'https://x.openai.azure.com/openai/v1?api-version=preview',
  ],
  ['anthropic', 'https://api.anthropic.com/v1', 'https://api.anthropic.com'],
  ['anthropic', 'https://proxy.example/claude/v1/', 'https://proxy.example/claude'],
  ['gemini', 'https://generativelanguage.googleapis.com/v1beta', 'https://generativelanguage.googleapis.com'],
])('%s with api_base %s calls %s', async (type, written, used) => {
  const config = await read({ providers: { it: { type, api_base: written, api_key: 'k' } } });
  expect(config.models.providers[0]).toMatchObject({ baseUrl: used });
});

test('a query other than a version is rejected', async () => {
  const entry = { type: 'openai', api_base: 'https://proxy.example/v1?key=x' };
  expect(await problems({ providers: { it: entry } })).toEqual([
    expect.stringContaining('expected a URL without a query (`?`), except `?api-version=`'),
  ]);
});
