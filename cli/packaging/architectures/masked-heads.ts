import { int } from '../onnx/attributes.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import { modernbertDense, type TextHead } from './heads.ts';

// Masked-LM heads: a dense layer with a norm, and the logit of each word of the vocabulary.

interface MaskedNames {
  readonly dense: string;
  /** The activation; `hidden_act` of config.json if it is undefined. */
  readonly activation?: string | undefined;
  readonly norm: string;
  readonly epsilon?: number;
  readonly decoder: string;
  /** Spellings of the name of the decoder's bias. */
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

/** The logits of all words. Models share the matrix with the table of words, unless config.json has another setting. */
function decode(
  g: EncoderGraph,
  rows: Value,
  { decoder, biases, words = WORDS }: Pick<MaskedNames, 'decoder' | 'biases'> & { readonly words?: string },
): Value {
  const isTied = g.config.flag('tie_word_embeddings', true) || !g.weights.has(`${decoder}.weight`);
  const inputs = [rows, g.weight(`${isTied ? words : decoder}.weight`)];
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

/** The generator, which predicts words; the discriminator of ELECTRA has no such head. */
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

/** The published models of version 3 have names of their own, which their library used before transformers. */
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
