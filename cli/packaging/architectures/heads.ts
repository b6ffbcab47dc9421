import { configError } from '#contract/errors.ts';
import { INT64 } from '#core/onnx/element-types.ts';
import { int } from '#core/onnx/attributes.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/** The heads that an architecture can have. */
export type HeadName = 'textHead' | 'tokenHead' | 'answerHead' | 'maskedHead';

/** The layers that compute a text's logits from its vector. */
export type TextHead = (g: EncoderGraph, rows: Value) => Value;

/** The vector of each text's first token. */
const firstToken = (g: EncoderGraph, rows: Value): Value =>
  g.writer.op('Gather', [g.byText(rows), g.writer.integer(0)], int('axis', 1));

/** The mean of the rows of each text's tokens. */
function meanOfTokens(g: EncoderGraph, rows: Value): Value {
  const { writer } = g;
  const axis = writer.integers([1]);
  const sum = (value: Value): Value => writer.op('ReduceSum', [value, axis], int('keepdims', 0));
  return writer.op('Div', [sum(g.multiply(g.byText(rows), g.floatMask)), sum(g.floatMask)]);
}

/** The vector of each text's last token. */
function lastToken(g: EncoderGraph, rows: Value): Value {
  const { writer } = g;
  const count = writer.op('ReduceSum', [g.mask, writer.integers([1])], int('keepdims', 1));
  const last = writer.op('Sub', [count, writer.integer(1)]);
  return writer.op('GatherND', [g.byText(rows), last], int('batch_dims', 1));
}

/** The vector of each text's last end token, the only one at which BART's decoder has read the whole text. */
function lastEndToken(g: EncoderGraph, rows: Value): Value {
  const { writer } = g;
  const isEnd = writer.op('Equal', [g.inputIds, writer.integer(g.config.number('eos_token_id', 2))]);
  const positions = g.multiply(writer.op('Cast', [isEnd], int('to', INT64)), g.positions);
  const last = writer.op('ReduceMax', [positions, writer.integers([1])], int('keepdims', 1));
  return writer.op('GatherND', [g.byText(rows), last], int('batch_dims', 1));
}

/** A dense layer on one token, an activation, and the label layer. */
const onOneToken =
  (
    dense: string,
    activation: string | ((g: EncoderGraph) => string),
    labels: string,
    token: TextHead = firstToken,
  ): TextHead =>
  (g, rows) => {
    const name = typeof activation === 'string' ? activation : activation(g);
    return g.linear(g.activation(g.linear(token(g, rows), dense), name), labels);
  };

export const pooledHead = onOneToken('pooler.dense', 'tanh', 'classifier');
export const robertaHead = onOneToken('classifier.dense', 'tanh', 'classifier.out_proj');
export const electraHead = onOneToken('classifier.dense', 'gelu', 'classifier.out_proj');
export const distilbertHead = onOneToken('pre_classifier', 'relu', 'classifier');
export const albertHead = onOneToken('pooler', 'tanh', 'classifier');
export const debertaHead = onOneToken(
  'pooler.dense',
  ({ config }) => config.text('pooler_hidden_act', 'gelu'),
  'classifier',
);

export const bartHead = onOneToken(
  'classification_head.dense',
  'tanh',
  'classification_head.out_proj',
  lastEndToken,
);

export const modernbertHead: TextHead = (g, rows) => {
  const pooling = g.config.text('classifier_pooling', 'cls');
  if (pooling !== 'cls' && pooling !== 'mean') {
    throw configError(`\`classifier_pooling\` in config.json must be cls or mean, not ${pooling}.`);
  }
  const pooled = pooling === 'cls' ? firstToken(g, rows) : meanOfTokens(g, rows);
  return g.linear(modernbertDense(g, pooled), 'classifier');
};

/** ModernBERT also has a dense layer before token labels. */
export const modernbertTokenHead: TextHead = (g, rows) => g.linear(modernbertDense(g, rows), 'classifier');

const modernbertDense = (g: EncoderGraph, rows: Value): Value =>
  g.norm(
    g.activation(g.linear(rows, 'head.dense'), g.config.text('classifier_activation', 'gelu')),
    'head.norm',
    g.config.number('norm_eps', 1e-5),
  );

/** EuroBERT's head for texts, which pools the logits of tokens ("late") or their vectors. */
export const eurobertHead: TextHead = (g, rows) => {
  const pooling = g.config.text(['classifier_pooling', 'clf_pooling'], 'late');
  const label = (value: Value): Value =>
    g.linear(g.activation(g.linear(value, 'dense'), 'gelu'), 'classifier');
  switch (pooling) {
    case 'late':
      return meanOfTokens(g, label(rows));
    case 'mean':
      return label(meanOfTokens(g, rows));
    case 'bos':
      return label(firstToken(g, rows));
    default:
      throw configError(`\`classifier_pooling\` in config.json must be late, mean or bos, not ${pooling}.`);
  }
};

/** In causal models, only the last token attends to the whole text. */
export const lastTokenHead: TextHead = (g, rows) => scoreHead(g, lastToken(g, rows));

/** The words after a text whose logits a generative reranker compares, as token ids. */
export interface AnswerWords {
  readonly relevant: number;
  /** Undefined if the score is the logit of the first word. */
  readonly irrelevant?: number | undefined;
}

/** The difference between the logits of two words as the next token of a text in a causal model. */
export const wordLogitHead =
  ({ relevant, irrelevant }: AnswerWords): TextHead =>
  (g, rows) => {
    const { writer } = g;
    const last = lastToken(g, rows);
    const words = outputMatrix(g, { decoder: 'lm_head', words: 'embed_tokens', reusesWords: false });
    const logit = (id: number): Value =>
      writer.op('Gemm', [last, writer.op('Gather', [words, writer.integers([id])])], int('transB', 1));
    return irrelevant === undefined
      ? logit(relevant)
      : writer.op('Sub', [logit(relevant), logit(irrelevant)]);
  };

/** Logits of each row in decoder models, which have their own name for this layer. */
export const scoreHead: TextHead = (g, rows) => g.linear(rows, 'score');

/** For each token, the scores for an answer that starts there and for an answer that ends there. */
export const answerHead: TextHead = (g, rows) => g.linear(rows, 'qa_outputs');

/** Logits of each token. */
export const tokenHead: TextHead = (g, rows) => g.linear(rows, 'classifier');

// Masked-LM heads: a dense layer with a norm, then a logit for each word of the vocabulary.

interface MaskedNames {
  readonly dense: string;
  /** The activation function. Default: `hidden_act` in config.json. */
  readonly activation?: string | undefined;
  readonly norm: string;
  readonly epsilon?: number;
  readonly decoder: string;
  /** Possible names of the decoder's bias. */
  readonly biases: readonly string[];
}

const WORDS = 'embeddings.word_embeddings';

const maskedHead =
  ({ dense, activation, norm, epsilon = 1e-12, decoder, biases }: MaskedNames): TextHead =>
  (g, rows) => {
    const act = activation ?? g.config.text('hidden_act', 'gelu');
    const activated = g.activation(g.linear(rows, dense), act);
    const normed = g.norm(activated, norm, g.config.number('layer_norm_eps', epsilon));
    return decode(g, normed, { decoder, biases });
  };

interface MatrixOptions extends Pick<MaskedNames, 'decoder'> {
  readonly words?: string;
  /** Whether the word embedding matrix is reused if config.json does not state it. */
  readonly reusesWords?: boolean;
}

/** The matrix with a row for each word's logit: the word embedding matrix if the model reuses it. */
function outputMatrix(g: EncoderGraph, { decoder, words = WORDS, reusesWords = true }: MatrixOptions): Value {
  const isTied = g.config.flag('tie_word_embeddings', reusesWords) || !g.weights.has(`${decoder}.weight`);
  return g.weight(`${isTied ? words : decoder}.weight`);
}

/** The logits of all words. Models reuse the word embedding matrix, unless config.json disables that. */
function decode(
  g: EncoderGraph,
  rows: Value,
  { biases, ...matrix }: MatrixOptions & Pick<MaskedNames, 'biases'>,
): Value {
  const inputs = [rows, outputMatrix(g, matrix)];
  const bias = biases.find((name) => g.weights.has(name));
  if (bias !== undefined) inputs.push(g.weight(bias));
  return g.writer.op('Gemm', inputs, int('transB', 1));
}

const withBias = (decoder: string, head: string) => ({
  decoder,
  biases: [`${head}.bias`, `${decoder}.bias`],
});

const LIKE_BERT = {
  dense: 'cls.predictions.transform.dense',
  norm: 'cls.predictions.transform.LayerNorm',
  ...withBias('cls.predictions.decoder', 'cls.predictions'),
};

export const bertMaskedHead = maskedHead(LIKE_BERT);

export const robertaMaskedHead = maskedHead({
  dense: 'lm_head.dense',
  activation: 'gelu',
  norm: 'lm_head.layer_norm',
  ...withBias('lm_head.decoder', 'lm_head'),
});

export const distilbertMaskedHead: TextHead = (g, rows) =>
  maskedHead({
    dense: 'vocab_transform',
    activation: g.config.text('activation', 'gelu'),
    norm: 'vocab_layer_norm',
    decoder: 'vocab_projector',
    biases: ['vocab_projector.bias'],
  })(g, rows);

/** The masked-LM head of ELECTRA's generator; its discriminator has none. */
export const electraMaskedHead = maskedHead({
  dense: 'generator_predictions.dense',
  activation: 'gelu',
  norm: 'generator_predictions.LayerNorm',
  decoder: 'generator_lm_head',
  biases: ['generator_lm_head.bias'],
});

export const albertMaskedHead: TextHead = (g, rows) =>
  maskedHead({
    dense: 'predictions.dense',
    activation: g.config.text('hidden_act', 'gelu_new'),
    norm: 'predictions.LayerNorm',
    ...withBias('predictions.decoder', 'predictions'),
  })(g, rows);

/**
 * The published DeBERTa v3 models have the weight names of their original library, because they are
 * older than their support in transformers.
 */
export const debertaMaskedHead: TextHead = (g, rows) => {
  const own = 'lm_predictions.lm_head';
  const names = g.weights.has(`${own}.dense.weight`)
    ? { dense: `${own}.dense`, norm: `${own}.LayerNorm`, decoder: own, biases: [`${own}.bias`] }
    : LIKE_BERT;
  return maskedHead({ ...names, epsilon: 1e-7 })(g, rows);
};

export const modernbertMaskedHead: TextHead = (g, rows) =>
  decode(g, modernbertDense(g, rows), {
    decoder: 'decoder',
    biases: ['decoder.bias'],
    words: 'embeddings.tok_embeddings',
  });

/** EuroBERT's masked-LM head, which is only the logits of words. */
export const eurobertMaskedHead: TextHead = (g, rows) =>
  decode(g, rows, {
    decoder: 'lm_head',
    biases: ['lm_head.bias'],
    words: 'embed_tokens',
    reusesWords: false,
  });
