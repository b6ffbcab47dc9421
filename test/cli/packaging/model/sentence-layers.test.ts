import { describe, expect, test } from 'vitest';
import { findLayers, isWeighted } from '#cli/packaging/model/sentence-layers.ts';

const modules = (...names: string[]) =>
  names.map((name, at) => ({ type: `sentence_transformers.models.${name}`, path: `${at}_${name}` }));
const DENSE = { in_features: 4, out_features: 2, bias: false };
const IDENTITY = 'torch.nn.modules.linear.Identity';
const find = (names: readonly string[], config: Record<string, unknown>, hasWeights = true) =>
  findLayers(modules(...names), new Map([['2_Dense', { config, hasWeights }]]));
const problemOf = (config: Record<string, unknown>, hasWeights = true): string | undefined =>
  find(['Transformer', 'Pooling', 'Dense'], config, hasWeights).problem;
const dense = { kind: 'dense', inputs: 4, outputs: 2, bias: false, activation: 'identity' };

test('modules after Pooling are layers, except a final Normalize', () => {
  const config = { ...DENSE, activation_function: IDENTITY };
  const found = { path: '2_Dense', settings: dense };
  expect(find(['Transformer', 'Pooling', 'Dense', 'Normalize'], config).layers).toEqual([found]);
  expect(find(['Transformer', 'Pooling', 'Dense', 'Dropout', 'Normalize'], config).layers).toEqual([found]);
  expect(
    find(['Transformer', 'Pooling', 'Dense', 'Normalize', 'Dropout', 'Normalize'], config).layers,
  ).toEqual([found]);
  expect(find(['Transformer', 'Pooling', 'Normalize'], config)).toEqual({ layers: [], problem: undefined });
  expect(find(['Transformer', 'Normalize'], config)).toEqual({ layers: [], problem: undefined });
  expect(findLayers([], new Map())).toEqual({ layers: [], problem: undefined });
});

test('a Normalize between other modules is a layer', () => {
  const files = new Map([
    ['3_Dense', { config: { ...DENSE, activation_function: IDENTITY }, hasWeights: true }],
  ]);
  expect(findLayers(modules('Transformer', 'Pooling', 'Normalize', 'Dense'), files).layers).toEqual([
    { path: '2_Normalize', settings: { kind: 'normalize' } },
    { path: '3_Dense', settings: dense },
  ]);
});

test('only classes of sentence-transformers are supported', () => {
  expect(isWeighted({ type: 'sentence_transformers.base.modules.dense.Dense' })).toBe(true);
  expect(isWeighted({ type: 'custom_st.Dense' })).toBe(false);
  expect(isWeighted({ type: 'sentence_transformers.models.Pooling' })).toBe(false);
  expect(isWeighted(undefined)).toBe(false);
});

describe('the activation function of a Dense module', () => {
  const activationOf = (value?: unknown) => {
    const config = value === undefined ? DENSE : { ...DENSE, activation_function: value };
    const { layers, problem } = find(['Transformer', 'Pooling', 'Dense'], config);
    return (
      problem ??
      (layers.map(({ settings }) => settings)[0] as { activation?: string } | undefined)?.activation
    );
  };

  test.each([
    [undefined, 'tanh'],
    ['torch.nn.modules.activation.Tanh', 'tanh'],
    [IDENTITY, 'identity'],
    ['torch.nn.ReLU', 'relu'],
    ['torch.nn.modules.activation.Sigmoid', 'sigmoid'],
  ])('%s is read as %s', (value, expected) => {
    expect(activationOf(value)).toBe(expected);
  });

  test.each(['torch.nn.modules.activation.GELU', 'my.Tanh', null, 'Tanh', 'torch.nn.toString'])(
    '%s is rejected',
    (value) => {
      expect(activationOf(value)).toBe(
        `2_Dense/config.json has an unsupported activation_function ${JSON.stringify(value)}`,
      );
    },
  );
});

describe('unsupported modules are rejected', () => {
  test('a module without config.json or readable weights', () => {
    expect(findLayers(modules('Transformer', 'Pooling', 'Dense'), new Map()).problem).toBe(
      'modules.json has the module Dense, but 2_Dense/config.json is missing',
    );
    expect(problemOf(DENSE, false)).toBe(
      '2_Dense has no model.safetensors or pytorch_model.bin; download the model files again',
    );
  });

  test.each([
    {},
    { ...DENSE, in_features: 0 },
    { ...DENSE, out_features: '2' },
    { ...DENSE, in_features: 1.5 },
  ])('a Dense module with the sizes %j', (config) => {
    expect(problemOf(config)).toBe('2_Dense/config.json does not have valid in_features and out_features');
  });

  test('a Dense module whose input is not the text vector', () => {
    expect(problemOf({ ...DENSE, module_input_name: 'token_embeddings' })).toBe(
      '2_Dense/config.json maps "token_embeddings" to "token_embeddings", but only sentence_embedding is supported',
    );
    expect(problemOf({ ...DENSE, module_output_name: null, module_input_name: null })).toBeUndefined();
    expect(find(['Transformer', 'Dense', 'Pooling'], DENSE).problem).toBe(
      'modules.json has Dense before any Pooling module',
    );
    expect(find(['Transformer', 'Dense'], DENSE).problem).toContain('before any Pooling module');
  });
});
