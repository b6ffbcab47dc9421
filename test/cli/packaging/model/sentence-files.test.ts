import { describe, expect, test } from 'vitest';
import { poolingFolder, sentenceDefaults } from '#cli/packaging/model/sentence-files.ts';

const NAME = '1_Pooling/config.json';
const MODULES = ['Transformer', 'Pooling'].map((type) => ({ type: `sentence_transformers.models.${type}` }));
const pooling = (content: Record<string, unknown> | undefined) => {
  const { pooling: mode, unsupported } = sentenceDefaults(MODULES, { name: NAME, content }, {});
  return unsupported ?? mode;
};
const settings = (content: Record<string, unknown>) =>
  sentenceDefaults(undefined, { name: NAME, content: undefined }, content);

describe('pooling', () => {
  test.each([
    [{ pooling_mode: 'mean' }, 'mean'],
    [{ pooling_mode: 'cls' }, 'cls'],
    [{ pooling_mode: 'max' }, 'max'],
    [{ pooling_mode: 'lasttoken' }, 'last'],
    [{ pooling_mode: ['cls'] }, 'cls'],
    [{ pooling_mode_mean_tokens: true, pooling_mode_cls_token: false }, 'mean'],
    [{ pooling_mode_cls_token: true }, 'cls'],
    [{ pooling_mode_max_tokens: true }, 'max'],
    [{ pooling_mode_lasttoken: true }, 'last'],
    [{ pooling_mode: 'max', pooling_mode_mean_tokens: true }, 'max'],
    [{ word_embedding_dimension: 32 }, undefined],
    [{ pooling_mode: 'weightedmean' }, 'weightedmean'],
    [{ pooling_mode_mean_sqrt_len_tokens: true }, 'mean_sqrt_len_tokens'],
    [{ pooling_mode: ['mean', 'cls'] }, ['mean', 'cls']],
    [{ pooling_mode_mean_tokens: true, pooling_mode_max_tokens: true }, ['max', 'mean']],
    [{ pooling_mode_weightedmean_tokens: true, pooling_mode_cls_token: true }, ['cls', 'weightedmean']],
    [{ pooling_mode: 'median' }, `${NAME} has an unsupported pooling mode median`],
    [{ pooling_mode: ['cls', 'median'] }, `${NAME} has an unsupported pooling mode median`],
    [undefined, `modules.json has a Pooling module, but ${NAME} is missing`],
  ])('%j is read as %s', (content, expected) => {
    expect(pooling(content)).toEqual(expected);
  });

  test('is read from the path in modules.json', () => {
    expect(poolingFolder(undefined)).toBe('1_Pooling');
    expect(poolingFolder(MODULES)).toBe('1_Pooling');
    expect(poolingFolder([{ type: 'a.Pooling', path: '3_P' }])).toBe('3_P');
  });
});

test('is unknown without any files', () => {
  expect(settings({})).toEqual({
    pooling: undefined,
    layers: [],
    unsupported: undefined,
    includePrompt: true,
    normalize: false,
    dimensions: undefined,
    similarity: undefined,
    prompts: {},
    defaultPromptName: undefined,
    maxLength: undefined,
    lowerCase: false,
  });
});

test('reports a module with an unsupported computation', () => {
  const of = (...types: unknown[]) =>
    sentenceDefaults(
      types.map((type) => ({ type })),
      { name: NAME, content: { pooling_mode: 'mean' } },
      {},
    );
  expect(of('a.Transformer', 'a.Pooling', 'a.Dropout', 'a.Normalize')).toMatchObject({
    unsupported: undefined,
    normalize: true,
  });
  for (const type of ['Dense', 'LSTM', 'WordWeights'])
    expect(of('a.Transformer', 'a.Pooling', `a.${type}`).unsupported).toContain(
      `has an unsupported module ${type};`,
    );
  expect(of(undefined).unsupported).toContain('has an unsupported module without a type;');
});

describe('settings', () => {
  test('are read from both files', () => {
    const content = {
      max_seq_length: 256,
      do_lower_case: true,
      prompts: { query: 'q: ', document: null, '': 'x' },
      default_prompt_name: 'query',
      truncate_dim: 64,
      similarity_fn_name: 'dot',
    };
    expect(settings(content)).toMatchObject({
      maxLength: 256,
      lowerCase: true,
      prompts: { query: 'q: ', document: '' },
      defaultPromptName: 'query',
      dimensions: 64,
      similarity: 'dot',
    });
  });

  test.each([
    {
      prompts: null,
      default_prompt_name: null,
      truncate_dim: null,
      max_seq_length: null,
      similarity_fn_name: null,
    },
    { similarity_fn_name: 'cosine' },
    { max_seq_length: 1e30 },
  ])('%j is ignored', (content) => {
    expect(settings(content)).toEqual(settings({}));
  });

  test('an unknown similarity function is rejected', () => {
    expect(() => settings({ similarity_fn_name: 'angle' })).toThrow(
      'config_sentence_transformers.json: `similarity_fn_name` is "angle", but it must be one of cosine, dot, euclidean, manhattan.',
    );
  });

  test('prompts that are not a mapping are rejected', () => {
    expect(() => settings({ prompts: ['a'] })).toThrow(
      'config_sentence_transformers.json: `prompts` must map names to strings.',
    );
  });
});
