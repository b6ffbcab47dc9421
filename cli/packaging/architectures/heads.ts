import { configError } from '#contract/errors.ts';
import { int } from '../onnx/attributes.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/** Layers between the vector of a text and its logits. */
export type TextHead = (g: EncoderGraph, rows: Value) => Value;

/** The vector of the first token of each text. */
const firstToken = (g: EncoderGraph, rows: Value): Value =>
  g.writer.op('Gather', [g.byText(rows), g.writer.integer(0)], int('axis', 1));

/** The mean of the vectors of each text's tokens. */
function meanOfTokens(g: EncoderGraph, rows: Value): Value {
  const { writer } = g;
  const axis = writer.integers([1]);
  const sum = (value: Value): Value => writer.op('ReduceSum', [value, axis], int('keepdims', 0));
  return writer.op('Div', [sum(g.multiply(g.byText(rows), g.floatMask)), sum(g.floatMask)]);
}

/** The vector of the last token of each text. */
function lastToken(g: EncoderGraph, rows: Value): Value {
  const { writer } = g;
  const count = writer.op('ReduceSum', [g.mask, writer.integers([1])], int('keepdims', 1));
  const last = writer.op('Sub', [count, writer.integer(1)]);
  return writer.op('GatherND', [g.byText(rows), last], int('batch_dims', 1));
}

/** A dense layer on the first token, an activation, and the layer of the labels. */
const onFirstToken =
  (dense: string, activation: string | ((g: EncoderGraph) => string), labels: string): TextHead =>
  (g, rows) => {
    const name = typeof activation === 'string' ? activation : activation(g);
    return g.linear(g.activation(g.linear(firstToken(g, rows), dense), name), labels);
  };

export const pooledHead = onFirstToken('pooler.dense', 'tanh', 'classifier');
export const robertaHead = onFirstToken('classifier.dense', 'tanh', 'classifier.out_proj');
export const electraHead = onFirstToken('classifier.dense', 'gelu', 'classifier.out_proj');
export const distilbertHead = onFirstToken('pre_classifier', 'relu', 'classifier');
export const albertHead = onFirstToken('pooler', 'tanh', 'classifier');
export const debertaHead = onFirstToken(
  'pooler.dense',
  ({ config }) => config.text('pooler_hidden_act', 'gelu'),
  'classifier',
);

export const modernbertHead: TextHead = (g, rows) => {
  const pooling = g.config.text('classifier_pooling', 'cls');
  if (pooling !== 'cls' && pooling !== 'mean') {
    throw configError(`\`classifier_pooling\` in config.json must be cls or mean, not ${pooling}.`);
  }
  const pooled = pooling === 'cls' ? firstToken(g, rows) : meanOfTokens(g, rows);
  return g.linear(modernbertDense(g, pooled), 'classifier');
};

/** ModernBERT has a dense layer before the labels of tokens, too. */
export const modernbertTokenHead: TextHead = (g, rows) => g.linear(modernbertDense(g, rows), 'classifier');

export const modernbertDense = (g: EncoderGraph, rows: Value): Value =>
  g.norm(
    g.activation(g.linear(rows, 'head.dense'), g.config.text('classifier_activation', 'gelu')),
    'head.norm',
    g.config.number('norm_eps', 1e-5),
  );

export const qwen3Head: TextHead = (g, rows) => g.linear(lastToken(g, rows), 'score');

/** For each token, whether an answer starts and whether it ends there. */
export const answerHead: TextHead = (g, rows) => g.linear(rows, 'qa_outputs');

/** Logits of each token. */
export const tokenHead: TextHead = (g, rows) => g.linear(rows, 'classifier');
