import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { type VectorsOf, wantedOutput } from '../../../../cli/build/onnx/wanted-output.ts';
import type { ModelType } from '../../../../runtime/contract/model-types.ts';
import { type ValueInfoProto, ValueInfoProtoSchema } from '../../../../runtime/gen/onnx/v1/onnx_pb.ts';

const dimensions = (count: number): object[] => Array.from({ length: count }, () => ({}));

/** An output with so many axes; of 0 the graph does not say. */
const output = ([name, axes]: readonly [string, number]): ValueInfoProto =>
  create(ValueInfoProtoSchema, {
    name,
    type: { tensorType: { elemType: 1, ...(axes === 0 ? {} : { shape: { dim: dimensions(axes) } }) } },
  });

const wanted = (type: ModelType, of: VectorsOf, outputs: readonly (readonly [string, number])[]): string => {
  const { name, shape } = wantedOutput(outputs.map(output), type, of, 'model.onnx');
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
  ] as const)('of %j, with the outputs %j, is %s', (of, outputs, expected) => {
    expect(wanted('sentence_embedding', of, outputs)).toBe(expected);
  });

  test.each([
    [
      ['text', 'token'],
      [['logits', 3]],
      'Model must return last_hidden_state, token_embeddings or sentence_embedding for model_type sentence_embedding; ' +
        'model.onnx returns `logits`. Choose the model_type that fits, or export the model for this task.',
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
      'Model must return last_hidden_state or token_embeddings for `pooling` to have something to pool; ' +
        'model.onnx returns `sentence_embedding`. Leave `pooling` out, or export the model with that output.',
    ],
    [['text'], [['last_hidden_state', 3]], '`pooling: none` is for models that return sentence_embedding'],
  ] as const)('of %j is not among %j', (of, outputs, message) => {
    expect(() => wanted('sentence_embedding', of, outputs)).toThrow(message);
  });
});

test('other types have one name each', () => {
  expect(wanted('embedding', [], BERT)).toBe(`last_hidden_state: ${TOKENS}`);
  expect(() => wanted('sequence_classification', [], BERT)).toThrow(
    'Model must return logits for model_type sequence_classification; model.onnx returns `last_hidden_state`, `pooler_output`.',
  );
});
