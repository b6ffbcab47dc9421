import { expect, test } from 'vitest';
import { anthropicModels } from '#gateway/providers/adapters/anthropic/adapter.ts';
import { geminiModels } from '#gateway/providers/adapters/gemini/adapter.ts';
import { openAiAdapterModels } from '#gateway/providers/adapters/openai/adapter.ts';

const ODD = ['', ' ', ' spaced', 'a\u0000b', 'line\nbreak', '\ud800', 5, null, undefined];

test('models with unusable names are omitted', () => {
  const data = [...ODD.map((id) => ({ id })), null, 5, [], { id: 'good' }];
  for (const models of [openAiAdapterModels, anthropicModels]) {
    expect(models.list({ data }).map(({ id }) => id)).toEqual(['good']);
  }
  const models = [...ODD.map((name) => ({ name })), null, { name: 'models/' }, { name: 'models/good' }];
  expect(geminiModels.list({ models }).map(({ id }) => id)).toEqual(['good']);
});

test.each([
  [1_760_000_000, 1_760_000_000],
  [1.5, 1],
  [1e300, 0],
  [-1, 0],
  ['1', 0],
  [null, 0],
])('a model with the creation time %j is listed with %j', (created, listed) => {
  expect(openAiAdapterModels.list({ data: [{ id: 'm', created }] })).toEqual([
    { id: 'm', created: listed, ownedBy: 'unknown' },
  ]);
});

test("Anthropic's timestamps are parsed from text", () => {
  const data = ['2026-03-01T12:00:00Z', 'yesterday', 5].map((at) => ({ id: 'm', created_at: at }));
  expect(anthropicModels.list({ data }).map(({ created }) => created)).toEqual([1_772_366_400, 0, 0]);
});
