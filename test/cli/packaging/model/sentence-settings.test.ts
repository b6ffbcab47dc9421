import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTokenizer } from '#cli/adapters/tokenizers.ts';
import type { PreparedTokenizer } from '#cli/packaging/model/prepare-tokenizer.ts';
import { type SentenceDefaults, sentenceDefaults } from '#cli/packaging/model/sentence-files.ts';
import {
  type SentenceConfig,
  sentenceSettings,
  vectorsKind,
} from '#cli/packaging/model/sentence-settings.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

const json = readFileSync(join(FIXTURES, 'models/sentence/tokenizer.json'), 'utf8');
const tokenizer: PreparedTokenizer = {
  tokenizer: await loadTokenizer(json),
  settings: { maxLength: 8, truncationSide: 'right', padId: 0, vocabularySize: 2600, marksSubwords: true },
  json,
  origin: 'tokenizer.json',
  hasAddedTokens: false,
};
const NOTHING: SentenceConfig = {
  pooling: undefined,
  normalize: undefined,
  dimensions: undefined,
  similarity: undefined,
  prompts: undefined,
  defaultPromptName: undefined,
  task: undefined,
};
const EMPTY = sentenceDefaults(undefined, { name: '1_Pooling/config.json', content: undefined }, {});
const PER_TOKEN = { shape: ['batch_size', 'sequence_length', 'hidden_size'], width: 32 };
const PER_TEXT = { shape: ['batch_size', 'hidden_size'], width: 32 };

const source = (config: Partial<SentenceConfig>, defaults: Partial<SentenceDefaults> = {}) => ({
  file: 'x.yml',
  config: { ...NOTHING, ...config },
  defaults: { ...EMPTY, ...defaults },
  transforms: false,
  hasHeads: false,
});
const settings = (...[from, output = PER_TOKEN]: [ReturnType<typeof source>, typeof PER_TOKEN?]) =>
  sentenceSettings(from, output, tokenizer);

test('without any settings, pooling is the mean without normalization', async () => {
  expect(await settings(source({}))).toEqual({
    pooling: 'mean',
    includePrompt: true,
    normalize: false,
    prompts: {},
  });
});

test('the prompt length excludes special tokens at the end', async () => {
  const prompts = { query: 'a dog', empty: '' };
  expect((await settings(source({ prompts }))).prompts).toEqual({
    query: { text: 'a dog', tokens: 3 },
    empty: { text: '', tokens: 0 },
  });
});

describe('a model with built-in pooling', () => {
  const leavesOut = { includePrompt: false, prompts: { query: 'a ' } };

  test('is used as is, regardless of the pooling in its files', async () => {
    const defaults = { pooling: 'cls', unsupported: 'has a Dense', normalize: true } as const;
    expect(await settings(source({}, defaults), PER_TEXT)).toMatchObject({
      pooling: 'none',
      normalize: true,
    });
  });

  test('is used unless prompt tokens must be excluded or the config sets another pooling', async () => {
    expect(vectorsKind(source({}))).toEqual(['text', 'token']);
    expect(vectorsKind(source({}, leavesOut))).toEqual(['token', 'text']);
    expect(vectorsKind(source({ prompts: {} }, leavesOut))).toEqual(['text', 'token']);
    expect(vectorsKind(source({ pooling: 'max' }))).toEqual(['token']);
    expect(vectorsKind(source({ pooling: 'none' }))).toEqual(['text']);
    await expect(settings(source({}, leavesOut), PER_TEXT)).rejects.toThrow(
      'The model pools its vectors itself, prompt tokens included, but 1_Pooling/config.json has `include_prompt: false`. ' +
        'Export the model with token vectors, or set `prompts: {}` in x.yml to disable prompts.',
    );
    expect(await settings(source({ prompts: {} }, leavesOut), PER_TEXT)).toMatchObject({ prompts: {} });
  });
});

describe('a transform', () => {
  const transformed = (config: Partial<SentenceConfig>, defaults: Partial<SentenceDefaults> = {}) => ({
    ...source(config, defaults),
    transforms: true,
  });

  test('replaces pooling, even pooling that the model does not support', async () => {
    const from = transformed({}, { unsupported: 'It pools oddly', includePrompt: false });
    expect(vectorsKind(from)).toEqual(['token', 'text']);
    expect(await settings(from)).toMatchObject({ pooling: 'none', includePrompt: false });
    expect(await settings(transformed({ pooling: 'none' }))).toMatchObject({ pooling: 'none' });
  });

  test('conflicts with a pooling setting', async () => {
    await expect(settings(transformed({ pooling: 'cls' }))).rejects.toThrow(
      'x.yml sets both `pooling: cls` and a `transform`, which replaces pooling. Remove one of them.',
    );
  });
});

describe('invalid sentence settings are rejected', () => {
  test.each([
    [source({ dimensions: 33 }), "x.yml: `dimensions` is 33, but the model's vectors have only 32."],
    [source({}, { dimensions: 64 }), "x.yml: `dimensions` is 64, but the model's vectors have only 32."],
    [
      source({}, { unsupported: 'It pools oddly' }),
      'It pools oddly. Set `pooling` in x.yml to mean, cls, max or last to override it.',
    ],
    [
      source({ prompts: { long: 'a a a a a a a' } }),
      "The prompt `long` has 8 tokens, which leaves no room for text within the model's maximum of 8. Shorten the prompt.",
    ],
    [
      source({ defaultPromptName: 'x' }, { prompts: { query: 'a' } }),
      'x.yml: `default_prompt_name` is "x", but it must be one of the prompts (query).',
    ],
    [
      source({}, { defaultPromptName: 'x' }),
      'config_sentence_transformers.json: `default_prompt_name` is "x", but it must be one of the prompts (none).',
    ],
  ])('%#', async (from, message) => {
    await expect(settings(from)).rejects.toThrow(message);
  });
});

test('empty default prompts named query and document are ignored', async () => {
  for (const defaultPromptName of ['query', 'document']) {
    expect(await settings(source({}, { defaultPromptName }))).not.toHaveProperty('defaultPrompt');
  }
});

describe('modules after pooling', () => {
  const dense = { kind: 'dense', inputs: 32, outputs: 40, bias: true, activation: 'tanh' } as const;
  const layers = [{ path: '2_Dense', settings: dense }];

  test('are kept, and determine the number of dimensions', async () => {
    expect(await settings(source({ dimensions: 40 }, { layers }))).toMatchObject({ layers: [dense] });
    await expect(settings(source({ dimensions: 41 }, { layers }))).rejects.toThrow(
      "`dimensions` is 41, but the model's vectors have only 40.",
    );
    expect(await settings(source({ pooling: 'max' }, { layers }))).toMatchObject({ layers: [dense] });
  });

  test('are omitted if a graph, a transform or an explicit `pooling` replaces them', async () => {
    expect(await settings(source({}, { layers }), PER_TEXT)).not.toHaveProperty('layers');
    const overridden = source({ pooling: 'mean' }, { layers, unsupported: 'It pools oddly' });
    expect(await settings(overridden)).not.toHaveProperty('layers');
    const transformed = { ...source({}, { layers }), transforms: true };
    expect(await settings(transformed)).not.toHaveProperty('layers');
  });

  test('must have matching sizes', async () => {
    const norm = { path: '3_LayerNorm', settings: { kind: 'layer_norm', width: 32 } as const };
    await expect(settings(source({}, { layers: [...layers, norm] }))).rejects.toThrow(
      '3_LayerNorm/config.json expects vectors with 32 dimensions, but its input vectors have 40.',
    );
    await expect(settings(source({}, { layers, pooling: ['mean', 'cls'] }))).rejects.toThrow(
      '2_Dense/config.json expects vectors with 32 dimensions, but its input vectors have 64.',
    );
  });
});

test("other prompts replace the model's default prompt, unless they have its name", async () => {
  const defaults = { prompts: { query: 'a ' }, defaultPromptName: 'query' };
  expect(await settings(source({}, defaults))).toMatchObject({ defaultPrompt: 'query' });
  expect(await settings(source({ prompts: { other: 'b ' } }, defaults))).not.toHaveProperty('defaultPrompt');
  expect(await settings(source({ prompts: { query: 'b ' } }, defaults))).toMatchObject({
    defaultPrompt: 'query',
    prompts: { query: { text: 'b ' } },
  });
});
