import { int } from '#core/onnx/attributes.ts';
import { addPositions } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import type { LayerNames } from '../layer-names.ts';
import { type LayerSettings, postNormLayer, postNormSublayers } from '../post-norm-layer.ts';

/** BART's code does not make the epsilon of norms configurable. */
const EPSILON = 1e-5;
/** The row of position 0. The rows before it are not used. */
const FIRST_POSITION = 2;

/**
 * BART, whose classifiers read a text twice: the encoder reads the text, and the decoder reads the
 * text after a start token, and attends to the encoder's vectors. Returns the vectors of the decoder.
 */
export function bart(g: EncoderGraph): Value {
  const { config } = g;
  const width = config.size('d_model', 1024);
  const settings = (part: string): LayerSettings => ({
    heads: config.size(`${part}_attention_heads`, 16),
    width,
    epsilon: EPSILON,
    activation: config.text('activation_function', 'gelu'),
  });
  let encoded = embed(g, 'encoder', g.inputIds, width);
  for (let at = 0; at < config.size('encoder_layers', 12); at += 1) {
    encoded = postNormLayer(g, encoded, bartLayerNames(`encoder.layers.${at}`), settings('encoder'));
  }
  let rows = embed(g, 'decoder', shifted(g), width);
  for (let at = 0; at < config.size('decoder_layers', 12); at += 1) {
    rows = decoderLayer(g, rows, encoded, `decoder.layers.${at}`, settings('decoder'));
  }
  return rows;
}

/** The ids that the decoder reads: a start token, and all tokens of the text except the last. */
function shifted(g: EncoderGraph): Value {
  const { config, writer } = g;
  const start = writer.integer(config.number('decoder_start_token_id', 2));
  const first = writer.op('Slice', [g.inputIds, ...[0, 1, 1].map((value) => writer.integers([value]))]);
  const zero = g.multiply(first, writer.integer(0));
  const others = writer.op('Slice', [g.inputIds, ...[0, -1, 1].map((value) => writer.integers([value]))]);
  return writer.op('Concat', [g.add(zero, start), others], int('axis', 1));
}

/** Both parts share the word embeddings. Some files have a copy for each part. */
function embed(g: EncoderGraph, part: 'encoder' | 'decoder', ids: Value, width: number): Value {
  const { config, weights, writer } = g;
  const tables = [`${part}.embed_tokens`, 'shared', 'encoder.embed_tokens'];
  const table = tables.find((name) => weights.has(`${name}.weight`)) ?? 'shared';
  const words = g.lookUp(table, ids);
  const scaled = config.flag('scale_embedding', false)
    ? g.multiply(words, writer.float(Math.sqrt(width)))
    : words;
  const positioned = addPositions(g, scaled, `${part}.embed_positions`, FIRST_POSITION);
  return g.byToken(g.norm(positioned, `${part}.layernorm_embedding`, EPSILON), width);
}

/** The names of BART, and of models whose code was derived from it. */
export const bartLayerNames = (layer: string, attention = 'self_attn'): LayerNames => ({
  query: `${layer}.${attention}.q_proj`,
  key: `${layer}.${attention}.k_proj`,
  value: `${layer}.${attention}.v_proj`,
  attended: `${layer}.${attention}.out_proj`,
  attentionNorm: `${layer}.${attention}_layer_norm`,
  up: `${layer}.fc1`,
  down: `${layer}.fc2`,
  norm: `${layer}.final_layer_norm`,
});

/** Attention to earlier tokens, attention to the encoder's vectors, and a feed-forward layer. */
function decoderLayer(
  g: EncoderGraph,
  rows: Value,
  encoded: Value,
  layer: string,
  settings: LayerSettings,
): Value {
  const { heads, width, epsilon } = settings;
  const attend = (from: Value, to: Value, names: LayerNames, isCausal: boolean): Value => {
    const part = (value: Value, name: string): Value => g.byText(g.linear(value, name));
    const parts = [part(from, names.query), part(to, names.key), part(to, names.value)] as const;
    return g.attention(parts, heads, width, { isCausal });
  };
  const self = bartLayerNames(layer);
  const attended = g.linear(attend(rows, rows, self, true), self.attended);
  const mixed = g.norm(g.add(rows, attended), self.attentionNorm, epsilon);
  const cross = bartLayerNames(layer, 'encoder_attn');
  return postNormSublayers(g, mixed, attend(mixed, encoded, cross, false), cross, settings);
}
