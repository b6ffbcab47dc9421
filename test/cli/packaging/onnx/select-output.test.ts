import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { choosePooled } from '#cli/packaging/model/sparse-embedding.ts';
import { chooseVectors } from '#cli/packaging/model/sentence-embedding.ts';
import type { VectorsOf } from '#cli/packaging/model/sentence-settings.ts';
import { type OutputRules, selectOutput } from '#cli/packaging/onnx/select-output.ts';
import type { ModelType } from '#contract/model-types.ts';
import { NodeProtoSchema, type ValueInfoProto, ValueInfoProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';

const dimensions = (count: number): object[] => Array.from({ length: count }, () => ({}));

/** An output with this number of axes; 0 means that the graph does not declare them. */
const output = ([name, axes]: readonly [string, number]): ValueInfoProto =>
  create(ValueInfoProtoSchema, {
    name,
    type: { tensorType: { elemType: 1, ...(axes === 0 ? {} : { shape: { dim: dimensions(axes) } }) } },
  });

const rulesOf = (vectorsOf: VectorsOf): Partial<Record<ModelType, OutputRules>> => ({
  sentence_embedding: {
    canBePooled: true,
    chooseOutput: (graph, request) => chooseVectors(graph, request, vectorsOf),
  },
  sparse_embedding: { canBePooled: true, chooseOutput: choosePooled },
});

const wanted = (
  modelType: ModelType,
  vectorsOf: VectorsOf,
  outputs: readonly (readonly [string, number])[],
  more: { readonly output?: string; readonly tanh?: string } = {},
): string => {
  const node =
    more.tanh === undefined ? [] : [create(NodeProtoSchema, { opType: 'Tanh', output: [more.tanh] })];
  const rules = rulesOf(vectorsOf)[modelType] ?? {};
  const request = { modelType, rules, output: more.output, file: 'model.onnx' };
  const { name, shape } = selectOutput({ output: outputs.map(output), node }, request);
  return `${name}: ${shape.join(', ')}`;
};

const TOKENS = 'batch_size, sequence_length, hidden_size';
const TEXT = 'batch_size, hidden_size';
const OPTIMUM = [
  ['token_embeddings', 3],
  ['sentence_embedding', 2],
] as const;
const BERT = [
  ['last_hidden_state', 3],
  ['pooler_output', 2],
] as const;

describe('the output of a sentence_embedding model', () => {
  test.each([
    [['text', 'token'], OPTIMUM, `sentence_embedding: ${TEXT}`],
    [['token', 'text'], OPTIMUM, `token_embeddings: ${TOKENS}`],
    [['token'], OPTIMUM, `token_embeddings: ${TOKENS}`],
    [['text'], OPTIMUM, `sentence_embedding: ${TEXT}`],
    [['text', 'token'], BERT, `last_hidden_state: ${TOKENS}`],
    [['text'], BERT, `pooler_output: ${TEXT}`],
    [['text', 'token'], [['embeddings', 2]], `embeddings: ${TEXT}`],
    [['token', 'text'], [['embeddings', 2]], `embeddings: ${TEXT}`],
    [['text', 'token'], [['sentence_embedding', 0]], `sentence_embedding: ${TEXT}`],
    [['text', 'token'], [['last_hidden_state', 0]], `last_hidden_state: ${TOKENS}`],
  ] as const)('%j, among the outputs %j, selects %s', (of, outputs, expected) => {
    expect(wanted('sentence_embedding', of, outputs)).toBe(expected);
  });

  test.each([
    [
      ['text', 'token'],
      [['logits', 3]],
      'Model must return last_hidden_state, token_embeddings or sentence_embedding for model_type sentence_embedding; ' +
        'model.onnx returns `logits`. Choose the right model_type, or export the model for this task.',
    ],
    [
      ['text', 'token'],
      [
        ['a', 2],
        ['b', 2],
      ],
      'model.onnx returns `a`, `b`.',
    ],
    [
      ['token'],
      [['sentence_embedding', 2]],
      '`pooling` requires the output last_hidden_state or token_embeddings for model_type sentence_embedding; ' +
        'model.onnx returns `sentence_embedding`. Remove `pooling`, or export the model with that output.',
    ],
    [['text'], [['last_hidden_state', 3]], '`pooling: none` requires the output sentence_embedding'],
  ] as const)('%j is not among %j', (of, outputs, message) => {
    expect(() => wanted('sentence_embedding', of, outputs)).toThrow(message);
  });
});

test('other model types have one output name each', () => {
  expect(wanted('embedding', [], BERT)).toBe(`last_hidden_state: ${TOKENS}`);
  expect(() => wanted('sequence_classification', [], BERT)).toThrow(
    'Model must return logits for model_type sequence_classification; model.onnx returns `last_hidden_state`, `pooler_output`.',
  );
});

describe('outputs with generic names', () => {
  /** Named as by torch, with BERT's pooler second. */
  const TORCH = [
    ['output_0', 3],
    ['882', 2],
  ] as const;

  test.each([
    [['text', 'token'], `output_0: ${TOKENS}`],
    [['token'], `output_0: ${TOKENS}`],
    [['token', 'text'], `output_0: ${TOKENS}`],
    [['text'], `882: ${TEXT}`],
  ] as const)('%j, with a tanh over the first token, selects %s', (of, expected) => {
    expect(wanted('sentence_embedding', of, TORCH, { tanh: '882' })).toBe(expected);
  });

  test('the user must choose if both token vectors and text vectors are possible', () => {
    expect(() => wanted('sentence_embedding', ['text', 'token'], TORCH)).toThrow(
      'model.onnx returns `output_0`, `882`. Set `output` in the config to one of `output_0`, `882`.',
    );
    expect(wanted('sentence_embedding', ['token'], TORCH)).toBe(`output_0: ${TOKENS}`);
    const chosen = (name: string): string =>
      wanted('sentence_embedding', ['text', 'token'], TORCH, { output: name });
    expect([chosen('output_0'), chosen('882')]).toEqual([`output_0: ${TOKENS}`, `882: ${TEXT}`]);
    expect(() => chosen('883')).toThrow(
      '`output` is "883", but the outputs of model.onnx are `output_0`, `882`. Choose one of these.',
    );
  });

  test('the user must choose among outputs with the same shape', () => {
    const layers = [
      ['a', 3],
      ['b', 3],
    ] as const;
    for (const type of ['sentence_embedding', 'embedding', 'token_classification'] as const) {
      expect(() => wanted(type, ['token'], layers)).toThrow('Set `output` in the config to one of `a`, `b`.');
    }
    expect(wanted('embedding', [], layers, { output: 'b' })).toBe(`b: ${TOKENS}`);
  });

  test('the only output with the right shape is selected, unless its name shows another purpose', () => {
    expect(wanted('embedding', [], TORCH)).toBe(`output_0: ${TOKENS}`);
    expect(wanted('sequence_classification', [], [['output', 2]])).toBe('output: batch_size, num_labels');
    expect(() => wanted('token_classification', [], BERT)).toThrow('Model must return logits');
    expect(() => wanted('embedding', [], [['logits', 3]])).toThrow('Model must return last_hidden_state');
  });
});

test('an embedding model can use the sentence-transformers name for token vectors', () => {
  expect(wanted('embedding', [], OPTIMUM)).toBe(`token_embeddings: ${TOKENS}`);
});
