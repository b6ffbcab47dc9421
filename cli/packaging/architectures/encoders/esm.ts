import { int } from '#core/onnx/attributes.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { addPositionsAfterPadding, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { bertLayerNames } from '../layer-names.ts';
import { preNormLayer } from '../pre-norm-layer.ts';
import { type Rotary, rotaryTables, storedRotaryTables } from '../rotary.ts';

/** Share of the tokens that were masked in training, which ESM's code hard-codes. */
const MASKED_IN_TRAINING = 0.15 * 0.8;

/** ESM-1b and ESM-2, which read the amino acids of proteins. */
export function esm(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('position_embedding_type', ['absolute', 'rotary']);
  config.refuseUnless('is_decoder', [false]);
  config.refuseUnless('is_folding_model', [false]);
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const isRotary = config.text('position_embedding_type', 'absolute') === 'rotary';
  const rotary = isRotary ? tables(g, width / heads) : undefined;
  const words = config.flag('token_dropout', false) ? dropMasked(g) : wordEmbeddings(g);
  const positioned = isRotary ? words : addPositionsAfterPadding(g, words, config.number('pad_token_id', 1));
  const normed = config.flag('emb_layer_norm_before', false)
    ? g.norm(positioned, 'embeddings.layer_norm', epsilon)
    : positioned;
  let rows = g.byToken(g.multiply(normed, g.floatMask), width);
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    const layer = `encoder.layer.${at}`;
    const names = {
      ...bertLayerNames(at),
      attentionNorm: `${layer}.attention.LayerNorm`,
      norm: `${layer}.LayerNorm`,
    };
    rows = preNormLayer(g, rows, names, { heads, width, epsilon, activation: 'gelu' }, { rotary });
  }
  return g.norm(rows, 'encoder.emb_layer_norm_after', epsilon);
}

/** The frequencies of the published models are stored in their files, because they were rounded. */
function tables(g: EncoderGraph, headWidth: number): Rotary {
  const { config, weights } = g;
  const options = { positions: config.size('max_position_embeddings', 1026), headWidth };
  // transformers 5 writes a name with "*" in place of the number of the layer.
  const names = ['0', '*'].map((at) => `encoder.layer.${at}.attention.self.rotary_embeddings.inv_freq`);
  const stored = names.find((name) => weights.has(name));
  return stored === undefined
    ? rotaryTables(g, { ...options, base: config.number('rope_theta', 10_000) })
    : storedRotaryTables(g, stored, options);
}

/**
 * Embeddings in which those of masked tokens are 0, as if they were dropped out. The others are
 * scaled up by the share of masked tokens in the text, and down by that share in training.
 */
function dropMasked(g: EncoderGraph): Value {
  const { config, writer } = g;
  const maskId = writer.integer(config.requiredNumber('mask_token_id'));
  const isMasked = writer.op('Unsqueeze', [
    writer.op('Cast', [writer.op('Equal', [g.inputIds, maskId])], int('to', FLOAT32)),
    writer.integers([2]),
  ]);
  const count = (value: Value): Value =>
    writer.op('ReduceSum', [value, writer.integers([1])], int('keepdims', 1));
  const one = writer.float(1);
  const kept = writer.op('Sub', [one, isMasked]);
  const share = writer.op('Div', [count(isMasked), count(g.floatMask)]);
  const scaled = g.multiply(g.multiply(wordEmbeddings(g), kept), writer.float(1 - MASKED_IN_TRAINING));
  return writer.op('Div', [scaled, writer.op('Sub', [one, share])]);
}
