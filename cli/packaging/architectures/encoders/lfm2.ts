import { int, ints } from '#core/onnx/attributes.ts';
import type { ConfigReader } from '../config-reader.ts';
import { wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import { gatedFeedForward, groupedAttention } from '../gated-layer.ts';
import type { Value } from '../graph-writer.ts';
import { CONVOLUTION, FULL, layerKind } from '../layer-kinds.ts';
import { rotaryBase, rotaryTables } from '../rotary.ts';

const FEED_FORWARD = { gate: 'w1', up: 'w3', down: 'w2' };

/** LFM2: most layers have a short convolution over the preceding tokens instead of attention. */
export function lfm2(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('rope_scaling', []);
  const width = config.size('hidden_size', 2560);
  const heads = config.size('num_attention_heads', 32);
  const headWidth = config.size('head_dim', width / heads);
  const epsilon = config.number('norm_eps', 1e-5);
  const layers = config.size('num_hidden_layers', 32);
  const norm = (value: Value, name: string): Value => g.rmsNorm(value, name, epsilon);
  const grouped = {
    heads,
    keyHeads: config.size('num_key_value_heads', 8),
    headWidth,
    norm,
    names: { output: 'out_proj', norm: 'layernorm' },
    rotary: rotaryTables(g, {
      base: rotaryBase(config, 'rope_theta', 1_000_000),
      positions: config.size('max_position_embeddings', 128_000),
      headWidth,
    }),
  };
  const options = { isCausal: config.flag('is_causal', true) };
  let rows = g.byToken(wordEmbeddings(g, 'embed_tokens'), width);
  for (let at = 0; at < layers; at += 1) {
    const layer = `layers.${at}`;
    const normed = norm(rows, `${layer}.operator_norm`);
    const mixed = hasAttention(config, at)
      ? groupedAttention(g, normed, `${layer}.self_attn`, grouped, options)
      : convolve(g, normed, `${layer}.conv`, width);
    rows = g.add(rows, mixed);
    const inner = norm(rows, `${layer}.ffn_norm`);
    rows = g.add(rows, gatedFeedForward(g, inner, `${layer}.feed_forward`, 'silu', FEED_FORWARD));
  }
  return norm(rows, 'embedding_norm');
}

/** A gated convolution: each value is mixed with the same value of the preceding tokens. */
function convolve(g: EncoderGraph, rows: Value, name: string, width: number): Value {
  const { config, writer } = g;
  // Padding must not count as text for tokens that fill a query, which follow it.
  const tokens = g.byToken(g.multiply(g.byText(rows), g.floatMask), width);
  const [before = '', after = '', value = ''] = writer.split(g.linear(tokens, `${name}.in_proj`), 3);
  const byValue = writer.op('Transpose', [g.byText(g.multiply(before, value))], ints('perm', [0, 2, 1]));
  const inputs = [byValue, g.weight(`${name}.conv.weight`)];
  if (g.weights.has(`${name}.conv.bias`)) inputs.push(g.weight(`${name}.conv.bias`));
  const preceding = config.size('conv_L_cache', 3) - 1;
  const convolved = writer.op('Conv', inputs, int('group', width), ints('pads', [preceding, 0]));
  const byText = writer.op('Transpose', [convolved], ints('perm', [0, 2, 1]));
  return g.linear(g.multiply(after, g.byToken(byText, width)), `${name}.out_proj`);
}

/** Configs that do not list the kind of each layer can list the layers with attention. Default: all. */
function hasAttention(config: ConfigReader, layer: number): boolean {
  const indexes = config.value('full_attn_idxs');
  const isListed = !Array.isArray(indexes) || indexes.includes(layer);
  return layerKind(config, layer, [FULL, CONVOLUTION], isListed ? FULL : CONVOLUTION) === FULL;
}
